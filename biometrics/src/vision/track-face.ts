import { detectFaces } from './detect-faces.ts'
import type { Detection } from './detections.ts'
import { areaOfDetection, areaOfMesh, type FaceArea, type FaceMesh, faceMesh } from './face-mesh.ts'
import type { VisionNets } from './nets.ts'
import { distance, type Picture } from './picture.ts'

/** All faces are searched for in every fourth frame, and if the face was lost. In between, the last place is enough. */
const SEARCH_EVERY = 4
const MIN_MESH_SCORE = 0.5
/** A smaller second face is a passer-by or a poster; one at least this share of the main face could take part. */
const RELEVANT_SHARE = 0.4

export interface TrackedFace {
  readonly mesh: FaceMesh | undefined
  /** The number of faces of a relevant size; undefined if only the known face was followed. */
  readonly faces: number | undefined
}

export interface FaceTracker {
  next(picture: Picture): Promise<TrackedFace>
}

/** Follows the largest face. Each tracker serves one step, so that nothing of one person can reach another. */
export function faceTracker(nets: Pick<VisionNets, 'face_detector' | 'face_mesh'>): FaceTracker {
  let area: FaceArea | undefined
  let frame = 0
  return {
    async next(picture) {
      const isSearched = area === undefined || frame % SEARCH_EVERY === 0
      frame += 1
      const found = isSearched ? await detectFaces(nets.face_detector, picture) : undefined
      const main = found === undefined ? undefined : largest(found)
      if (main !== undefined) area = nearer(area, areaOfDetection(main))
      const mesh = area === undefined ? undefined : await faceMesh(nets.face_mesh, picture, area)
      const isFace = mesh !== undefined && mesh.score >= MIN_MESH_SCORE
      area = isFace ? areaOfMesh(mesh) : undefined
      return { mesh: isFace ? mesh : undefined, faces: relevant(found, main) }
    },
  }
}

function largest(found: readonly Detection[]): Detection | undefined {
  return [...found].sort((a, b) => b.box.width - a.box.width)[0]
}

/** Returns the place of the last mesh, which is more exact than a detection, unless the face is elsewhere now. */
function nearer(tracked: FaceArea | undefined, detected: FaceArea): FaceArea {
  if (tracked === undefined) return detected
  const hasMoved = distance(tracked.at, detected.at) > 0.3 * detected.span
  const hasGrown = Math.abs(Math.log(tracked.span / detected.span)) > 0.4
  return hasMoved || hasGrown ? detected : tracked
}

function relevant(found: readonly Detection[] | undefined, main: Detection | undefined): number | undefined {
  if (found === undefined || main === undefined) return found?.length
  return found.filter(({ box }) => box.width >= RELEVANT_SHARE * main.box.width).length
}
