import type { AudioEvidence, QualityReason } from '../contract.ts'

/** Less says too little about a voice: a stranger who speaks fast must not skip that comparison. */
const LEAST_SPEECH_MS = 1000
/** Below this, digits are misheard too often. */
const LEAST_SNR_DB = 6
/** More than this is distortion that no voice causes. */
const MOST_CLIPPED = 0.1

/** Returns why a sound must be recorded again. Empty if it can be used. */
export function soundQuality(
  sound: Pick<AudioEvidence, 'speech_ms' | 'snr_db' | 'clipped'>,
): QualityReason[] {
  if (sound.clipped > MOST_CLIPPED) return ['too_noisy']
  if (sound.speech_ms < LEAST_SPEECH_MS) return ['no_speech']
  return sound.snr_db < LEAST_SNR_DB ? ['too_noisy'] : []
}
