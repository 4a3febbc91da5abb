import type { Picture, Point } from './picture.ts'
import { type Similarity, samplePatch } from './sample.ts'

const DETECTOR_SIZE = 256

/** Returns the whole picture as detectors expect it: square, with black bars, -1 to 1. */
export function wholePicture(picture: Picture): { readonly input: Float32Array; readonly map: Similarity } {
  const span = Math.max(picture.width, picture.height)
  const a = span / DETECTOR_SIZE
  const map = {
    a,
    b: 0,
    x0: (picture.width - span) / 2 + (a - 1) / 2,
    y0: (picture.height - span) / 2 + (a - 1) / 2,
  }
  const form = { scale: 1 / 127.5, offset: -1, planes: false }
  return { input: samplePatch(picture, map, DETECTOR_SIZE, form), map }
}

/** Converts a place in the detector's square, between 0 and 1, to a place in the picture. */
export function inPicture(map: Similarity, { x, y }: Point): Point {
  return { x: map.a * (x * DETECTOR_SIZE - 0.5) + map.x0, y: map.a * (y * DETECTOR_SIZE - 0.5) + map.y0 }
}

export function lengthInPicture(map: Similarity, share: number): number {
  return map.a * share * DETECTOR_SIZE
}
