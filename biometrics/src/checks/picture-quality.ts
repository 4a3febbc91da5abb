import type { QualityReason, VisionEvidence } from '../contract.ts'
import { median } from './medians.ts'

/** Less than a second at twelve frames a second. */
const MIN_FRAMES = 8
/** With longer gaps, a blink or a flash can go unseen. */
const MAX_GAP_MS = 500
const MIN_FACE_SHARE = 0.5
const MIN_SEVERAL = 2
/** Of 255, on forehead and cheeks. */
const TOO_DARK = 40
const TOO_BRIGHT = 250
/** As a share of the picture's width. The nets see 30 pixels between the eyes in a picture 640 pixels wide. */
const MIN_EYE_DISTANCE = 0.045

/** Returns why a step must be repeated, judging by its pictures. */
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

/** Whether time runs forward and frames are frequent enough. */
function isClockPlausible(times: readonly number[]): boolean {
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  return gaps.every((gap) => gap > 0) && (median(gaps) ?? 0) <= MAX_GAP_MS
}
