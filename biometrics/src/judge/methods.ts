import type { Modality } from '../contract.ts'
import type { CaptureFacts } from './facts.ts'

/** How a modality was judged. What is absent from a method was not looked at. */
export function methodOf(name: Modality, facts: CaptureFacts, isReplaced: boolean): string {
  switch (name) {
    case 'face_liveness':
      return facts.face_match === undefined ? 'parallax' : 'parallax+face_match'
    case 'deepfake_detection':
      // A passkey replaces the flash alone; the passive checks gate as ever.
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
