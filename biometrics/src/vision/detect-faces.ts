import { anchorsOf } from './anchors.ts'
import { type Detection, strongest } from './detections.ts'
import { outputOf, type PictureNet, sigmoid } from './nets.ts'
import type { Picture, Point } from './picture.ts'
import type { Similarity } from './sample.ts'
import { inPicture, lengthInPicture, wholePicture } from './whole-picture.ts'

const GRIDS = [
  { cells: 16, each: 2 },
  { cells: 8, each: 6 },
] as const
const ANCHORS = anchorsOf(GRIDS)
const INPUT = 256
/** Four numbers of the box, then six points: eyes, nose, mouth, ears. */
const VALUES = 16
const MIN_SCORE = 0.5
const MAX_FACES = 5

/** Returns the faces in a picture, best first. */
export async function detectFaces(net: PictureNet, picture: Picture): Promise<Detection[]> {
  const { input, map } = wholePicture(picture)
  const outputs = await net(input)
  let anchor = 0
  const found = GRIDS.flatMap(({ cells, each }) => {
    const count = cells * cells * each
    const scores = outputOf(outputs, count)
    const values = outputOf(outputs, count * VALUES)
    const first = anchor
    anchor += count
    return Array.from(scores, sigmoid).flatMap((score, i) =>
      score < MIN_SCORE
        ? []
        : [detectionAt(score, first + i, values.subarray(i * VALUES, (i + 1) * VALUES), map)],
    )
  })
  return strongest(found, MAX_FACES)
}

function detectionAt(score: number, anchor: number, values: Float32Array, map: Similarity): Detection {
  const points = Array.from({ length: VALUES / 2 }, (_, i): Point => {
    const [dx = 0, dy = 0] = values.subarray(2 * i, 2 * i + 2)
    return { x: dx / INPUT, y: dy / INPUT }
  })
  const at = { x: ANCHORS[2 * anchor] ?? 0, y: ANCHORS[2 * anchor + 1] ?? 0 }
  const [offset = at, extent = at, ...marks] = points
  const middle = inPicture(map, { x: at.x + offset.x, y: at.y + offset.y })
  const width = lengthInPicture(map, extent.x)
  const height = lengthInPicture(map, extent.y)
  return {
    score,
    box: { left: middle.x - width / 2, top: middle.y - height / 2, width, height },
    points: marks.map((mark) => inPicture(map, { x: at.x + mark.x, y: at.y + mark.y })),
  }
}
