import { anchorsOf } from './anchors.ts'
import { type Detection, strongest } from './detections.ts'
import { outputOf, type PictureNet, sigmoid } from './nets.ts'
import type { Picture, Point } from './picture.ts'
import type { Similarity } from './sample.ts'
import { inPicture, lengthInPicture, wholePicture } from './whole-picture.ts'

const ANCHORS = anchorsOf([
  { cells: 32, each: 2 },
  { cells: 16, each: 2 },
  { cells: 8, each: 6 },
])
const COUNT = ANCHORS.length / 2
const INPUT = 256
/** The score, four numbers of the box, then seven points: wrist, knuckles, thumb. */
const VALUES = 19
const MIN_SCORE = 0.5
const MAX_PALMS = 2

/** Returns the palms in a picture, best first. */
export async function detectPalms(net: PictureNet, picture: Picture): Promise<Detection[]> {
  const { input, map } = wholePicture(picture)
  const values = outputOf(await net(input), COUNT * VALUES)
  const found = Array.from({ length: COUNT }, (_, i) => i).flatMap((anchor) => {
    const score = sigmoid(values[anchor * VALUES] ?? 0)
    if (score < MIN_SCORE) return []
    return [palmAt(score, anchor, values.subarray(anchor * VALUES + 1, (anchor + 1) * VALUES), map)]
  })
  return strongest(found, MAX_PALMS)
}

function palmAt(score: number, anchor: number, values: Float32Array, map: Similarity): Detection {
  const at = { x: ANCHORS[2 * anchor] ?? 0, y: ANCHORS[2 * anchor + 1] ?? 0 }
  const pair = (i: number): Point => ({
    x: (values[2 * i] ?? 0) / INPUT,
    y: (values[2 * i + 1] ?? 0) / INPUT,
  })
  const moved = ({ x, y }: Point) => inPicture(map, { x: at.x + x, y: at.y + y })
  const middle = moved(pair(0))
  const width = lengthInPicture(map, pair(1).x)
  const height = lengthInPicture(map, pair(1).y)
  return {
    score,
    box: { left: middle.x - width / 2, top: middle.y - height / 2, width, height },
    points: Array.from({ length: 7 }, (_, i) => moved(pair(2 + i))),
  }
}
