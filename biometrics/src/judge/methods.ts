import type { Modality } from '../contract.ts'
import type { CaptureFacts } from './facts.ts'

/** Returns how a modality was judged. Anything absent from a method was not checked. */
export function methodOf(name: Modality, facts: CaptureFacts, isReplaced: boolean): string {
  switch (name) {
    case 'face_liveness':
      return facts.face_match === undefined ? 'parallax' : 'parallax+face_match'
    case 'deepfake_detection':
      // A passkey replaces only the flash; the passive checks still gate.
      return isReplaced ? 'passkey' : 'flash_reflection'
    case 'speech_match':
      if (isReplaced) return 'passkey'
      return facts.voice_match === undefined ? 'digits' : 'digits+voice'
    case 'lip_sync':
      return isReplaced ? 'passkey' : 'mouth_and_sound'
    case 'challenge_response':
      return 'random_steps'
    case 'finger_gesture':
      return isReplaced ? 'passkey' : 'hand_landmarks'
    case 'duress_detection':
      return 'secret_sign'
  }
}
