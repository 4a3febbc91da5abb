import type { FaceSample, Movement, VisionEvidence } from '../contract.ts'
import { median, quantile } from './medians.ts'
import type { NeutralFace } from './neutral-face.ts'

/** From the neutral step. A flat photo turned by 45 degrees seems to turn by 8. */
const TURN_DEG = 15
/** Nodding is smaller than turning; a person who speaks and listens moves by about 4. */
const NOD_DEG = 9
/** Distances between the eyes beyond the neutral opening. A broad smile opens the lips by 0.2, a yawn by 0.6. */
const MOUTH = 0.25
/** Of the median opening of the step. A photo that is tilted by 35 degrees stays above 0.8, closed lids go below 0.5. */
const BLINK_SHUT = 0.75
/** And open again: eyes that are closed all the time are no blink. */
const BLINK_OPEN = 0.88
/** Times the neutral distance between the eyes in the picture. */
const CLOSER = 1.2
/** A movement is held for a moment: this share of the frames lies beyond the threshold. */
const HELD = 0.85

/** Whether the frames of a step show the movement that it asked for. */
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

/** Open, then shut, then open again. */
function hasBlink(openings: readonly number[]): boolean {
  const usual = median(openings) ?? 0
  const shut = openings.findIndex((opening) => opening < BLINK_SHUT * usual)
  if (shut === -1) return false
  const isOpen = (opening: number) => opening > BLINK_OPEN * usual
  return openings.slice(0, shut).some(isOpen) && openings.slice(shut).some(isOpen)
}
