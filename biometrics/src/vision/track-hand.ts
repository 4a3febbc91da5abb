import { detectPalms } from './detect-palms.ts'
import { areaOfHand, areaOfPalm, type Hand, type HandArea, handLandmarks } from './hand-landmarks.ts'
import type { VisionNets } from './nets.ts'
import type { Picture } from './picture.ts'

/** Below this, the palm detector saw a cheek or a collar. */
const MIN_PRESENCE = 0.6

export interface HandTracker {
  next(picture: Picture): Promise<Hand | undefined>
}

/** Follows one hand. Each tracker serves one step. */
export function handTracker(nets: Pick<VisionNets, 'palm_detector' | 'hand_landmarks'>): HandTracker {
  let area: HandArea | undefined
  return {
    async next(picture) {
      if (area !== undefined) {
        const followed = await handLandmarks(nets.hand_landmarks, picture, area)
        area = followed.score < MIN_PRESENCE ? undefined : areaOfHand(followed)
        if (area !== undefined) return followed
      }
      // The detector often mistakes a face for the best palm, so the second best is checked too.
      for (const palm of (await detectPalms(nets.palm_detector, picture)).slice(0, 2)) {
        const found = await handLandmarks(nets.hand_landmarks, picture, areaOfPalm(palm))
        if (found.score < MIN_PRESENCE) continue
        area = areaOfHand(found)
        return found
      }
      return undefined
    },
  }
}
