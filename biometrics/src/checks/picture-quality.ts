import type { QualityReason, VisionEvidence } from '../contract.ts'
import { median } from './medians.ts'

/** At twelve frames a second this is less than a second. */
const MIN_FRAMES = 8
/** Slower than this and a blink or a flash passes unseen. */
const MAX_GAP_MS = 500
const MIN_FACE_SHARE = 0.5
const MIN_SEVERAL = 2
/** Of 255, on forehead and cheeks. */
const TOO_DARK = 40
const TOO_BRIGHT = 250
/** Of the picture's width. The nets see 30 pixels between the eyes of a picture of 640. */
const MIN_EYE_DISTANCE = 0.045

/** Why a step must be repeated, as far as pictures tell. */
export function pictureQuality(vision: VisionEvidence): QualityReason[] {
  const { frames, faces } = vision
  if (frames < MIN_FRAMES || !isClockPlausible(vision.t_ms)) return ['too_few_frames']
  if (faces.length < MIN_FACE_SHARE * frames) return ['no_face']
  const luma = median(faces.map((face) => face.luma)) ?? 0
  const eyes = median(faces.map((face) => face.eye_distance)) ?? 0
  return [
    ...(vision.several_faces >= MIN_SEVERAL ? (['several_faces'] as const) : []),
    ...(luma < TOO_DARK ? (['too_dark'] as const) : []),
    ...(luma > TOO_BRIGHT ? (['too_bright'] as const) : []),
    ...(eyes < MIN_EYE_DISTANCE ? (['too_far'] as const) : []),
  ]
}

/** Time runs forward, and frames come often enough. */
function isClockPlausible(times: readonly number[]): boolean {
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  return gaps.every((gap) => gap > 0) && (median(gaps) ?? 0) <= MAX_GAP_MS
}
