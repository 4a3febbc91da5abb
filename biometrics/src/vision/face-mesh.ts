import type { Detection } from './detections.ts'
import { outputOf, type PictureNet } from './nets.ts'
import { boxAround, type Picture, type Point } from './picture.ts'
import { place, samplePatch, turnedSquare } from './sample.ts'

/** 468 points of a face in pixels of the picture; z grows away from the camera, in the same units. */
export interface FaceMesh {
  readonly xyz: Float32Array
  /** How sure the net is that this is a face, 0 to 1. */
  readonly score: number
}

/** Where to look for a face: the middle and side of a square, turned so that the eyes are level. */
export interface FaceArea {
  readonly at: Point
  readonly span: number
  readonly angle: number
}

export const MESH_POINTS = 468
const SIZE = 192
/** The net was trained on squares 1.5 times as large as the face. */
const MARGIN = 1.5
const RIGHT_EYE_OUTER = 33
const LEFT_EYE_OUTER = 263

export async function faceMesh(net: PictureNet, picture: Picture, area: FaceArea): Promise<FaceMesh> {
  const map = turnedSquare(area.at, area.span, area.angle, SIZE)
  const outputs = await net(samplePatch(picture, map, SIZE, { scale: 1 / 255, offset: 0, planes: false }))
  const values = outputOf(outputs, MESH_POINTS * 3)
  const xyz = new Float32Array(MESH_POINTS * 3)
  for (let i = 0; i < xyz.length; i += 3) {
    const { x, y } = place(map, { x: (values[i] ?? 0) - 0.5, y: (values[i + 1] ?? 0) - 0.5 })
    xyz[i] = x
    xyz[i + 1] = y
    xyz[i + 2] = ((values[i + 2] ?? 0) * area.span) / SIZE
  }
  return { xyz, score: outputOf(outputs, 1)[0] ?? 0 }
}

export function meshPoint(mesh: FaceMesh, index: number): Point {
  return { x: mesh.xyz[index * 3] ?? 0, y: mesh.xyz[index * 3 + 1] ?? 0 }
}

export function meshDepth(mesh: FaceMesh, index: number): number {
  return mesh.xyz[index * 3 + 2] ?? 0
}

export function areaOfDetection({ box, points }: Detection): FaceArea {
  const [rightEye, leftEye] = points
  const angle = rightEye === undefined || leftEye === undefined ? 0 : angleOf(rightEye, leftEye)
  return {
    at: { x: box.left + box.width / 2, y: box.top + box.height / 2 },
    span: Math.max(box.width, box.height) * MARGIN,
    angle,
  }
}

/** Returns where the last frame's face will be in the next frame. */
export function areaOfMesh(mesh: FaceMesh): FaceArea {
  const angle = angleOf(meshPoint(mesh, RIGHT_EYE_OUTER), meshPoint(mesh, LEFT_EYE_OUTER))
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const level = Array.from({ length: MESH_POINTS }, (_, i) => {
    const { x, y } = meshPoint(mesh, i)
    return { x: cos * x + sin * y, y: cos * y - sin * x }
  })
  const box = boxAround(level)
  const at = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
  return {
    at: { x: cos * at.x - sin * at.y, y: sin * at.x + cos * at.y },
    span: Math.max(box.width, box.height) * MARGIN,
    angle,
  }
}

function angleOf(from: Point, to: Point): number {
  return Math.atan2(to.y - from.y, to.x - from.x)
}
