import { hasDuressWord } from '../checks/duress-word.ts'
import { heardDigits } from '../checks/heard-digits.ts'
import { soundQuality } from '../checks/sound-quality.ts'
import type { AudioEvidence, DuressSign, QualityReason, Sound, Step, VoiceNet } from '../contract.ts'
import { duressWordTokens } from '../duress-words.ts'
import type { TensorNet } from '../tensor-net.ts'
import { describeVoice } from './describe-voice.ts'
import { hearPhrase } from './hear-phrase.ts'
import { loudness, signalToNoise } from './loudness.ts'
import type { Moonshine } from './moonshine.ts'
import { clippedShare, readSound, SAMPLE_RATE, soundMs } from './read-sound.ts'
import { type SpeechSpan, speechProbabilities, speechSpans, spokenMs } from './speech-spans.ts'

export interface AudioNets {
  readonly vad: TensorNet
  readonly moonshine: Moonshine
  /** Empty if the pack was installed without Python. */
  readonly voice: Readonly<Partial<Record<VoiceNet, TensorNet>>>
}

export interface AudioAnalysis {
  /** Undefined for steps without speech, whose sound is not analysed. */
  readonly evidence: AudioEvidence | undefined
  readonly quality: readonly QualityReason[]
  /** Whether the secret word was heard. */
  readonly duress: boolean
}

/** Time kept before the first and after the last word, because the net misses words that begin immediately. */
const AROUND_SPEECH = SAMPLE_RATE / 10

/** Analyses the sound of a speak step. Throws `bad_media` if the bytes cannot be sound. */
export async function analyseAudio(
  step: Step,
  sound: Sound | undefined,
  duress: DuressSign,
  nets: AudioNets,
): Promise<AudioAnalysis> {
  if (step.kind !== 'speak') return { evidence: undefined, quality: [], duress: false }
  if (sound === undefined) return { evidence: undefined, quality: ['no_speech'], duress: false }
  const samples = readSound(sound)
  const spans = speechSpans(await speechProbabilities(nets.vad, samples), samples.length)
  const measured = {
    sound_ms: Math.round(soundMs(samples.length)),
    speech_ms: spokenMs(spans),
    snr_db: signalToNoise(samples, spans),
    clipped: Math.round(clippedShare(samples) * 1000) / 1000,
  }
  const quality = soundQuality(measured)
  const grammar = { digits: step.digits.length, word: duressWordTokens(duress) }
  const phrase =
    quality.length === 0 ? await hearPhrase(nets.moonshine, aroundSpeech(samples, spans), grammar) : undefined
  const evidence: AudioEvidence = {
    ...measured,
    heard: phrase && heardDigits(phrase, step.digits),
    loudness: loudness(samples, sound.t0_ms),
    voice: quality.length === 0 ? await describeVoice(nets.voice, samples, spans) : {},
  }
  return { evidence, quality, duress: phrase !== undefined && hasDuressWord(phrase) && !duress.is_decoy }
}

function aroundSpeech(samples: Float32Array, spans: readonly SpeechSpan[]): Float32Array {
  const start = Math.max(0, (spans.at(0)?.start ?? 0) - AROUND_SPEECH)
  const end = Math.min(samples.length, (spans.at(-1)?.end ?? samples.length) + AROUND_SPEECH)
  return samples.slice(start, end)
}
