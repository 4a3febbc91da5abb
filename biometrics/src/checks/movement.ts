import type { FaceSample, Movement, VisionEvidence } from '../contract.ts'
import { median, quantile } from './medians.ts'
import type { NeutralFace } from './neutral-face.ts'

/** Relative to the neutral step. A flat photo turned by 45 degrees seems to turn by 8. */
const TURN_DEG = 15
/** Nods are smaller than turns; a person who speaks and listens moves by about 4. */
const NOD_DEG = 9
/** In eye distances, beyond the neutral opening. A broad smile opens the lips by 0.2, a yawn by 0.6. */
const MOUTH = 0.25
/** As a share of the step's median opening. A photo tilted by 35 degrees stays above 0.8; closed lids go below 0.5. */
const BLINK_SHUT = 0.75
/** The eyes must open again: eyes that stay closed are not a blink. */
const BLINK_OPEN = 0.88
/** As a multiple of the neutral eye distance in the picture. */
const CLOSER = 1.2
/** A movement is held for a moment: the value at this quantile of the frames must pass the threshold. */
const HELD = 0.85

/** Whether the frames of a step show the requested movement. */
export function isMovementDone(movement: Movement, neutral: NeutralFace, { faces }: VisionEvidence): boolean {
  const held = (measure: (face: FaceSample) => number) => quantile(faces.map(measure), HELD) ?? -1
  switch (movement) {
    case 'turn_left':
      return held(({ yaw }) => yaw - neutral.yaw) >= TURN_DEG
    case 'turn_right':
      return held(({ yaw }) => neutral.yaw - yaw) >= TURN_DEG
    case 'look_up':
      return held(({ pitch }) => pitch - neutral.pitch) >= NOD_DEG
    case 'look_down':
      return held(({ pitch }) => neutral.pitch - pitch) >= NOD_DEG
    case 'open_mouth':
      return held(({ mouth }) => mouth - neutral.mouth) >= MOUTH
    case 'move_closer':
      return held(({ eye_distance }) => eye_distance / neutral.eye_distance) >= CLOSER
    case 'blink':
      return hasBlink(faces.map(({ eyes }) => eyes))
  }
}

/** Whether the eyes are open, then shut, then open again. */
function hasBlink(openings: readonly number[]): boolean {
  const usual = median(openings) ?? 0
  const shut = openings.findIndex((opening) => opening < BLINK_SHUT * usual)
  if (shut === -1) return false
  const isOpen = (opening: number) => opening > BLINK_OPEN * usual
  return openings.slice(0, shut).some(isOpen) && openings.slice(shut).some(isOpen)
}
