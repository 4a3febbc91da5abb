import { type AudioEvidence, VOICE_NETS, type VoiceNet } from '../contract.ts'
import type { TensorNet } from '../tensor-net.ts'
import { floatsToText } from '../vision/float-text.ts'
import { SAMPLE_RATE } from './read-sound.ts'
import type { SpeechSpan } from './speech-spans.ts'
import { ecapaEmbedding, ge2eEmbedding } from './voice-embeddings.ts'

/** More speech hardly changes the result, and costs time. */
const MOST_SPEECH = 5 * SAMPLE_RATE

const EMBEDDINGS = { ecapa: ecapaEmbedding, ge2e: ge2eEmbedding } as const

/** Returns the embedding of the voice in a sound with enough speech, from each net of the pack. */
export async function describeVoice(
  nets: Readonly<Partial<Record<VoiceNet, TensorNet>>>,
  samples: Float32Array,
  spans: readonly SpeechSpan[],
): Promise<AudioEvidence['voice']> {
  const speech = spokenPart(samples, spans)
  const voice: Record<string, string> = {}
  for (const name of VOICE_NETS) {
    const net = nets[name]
    if (net !== undefined) voice[name] = floatsToText(await EMBEDDINGS[name](net, speech))
  }
  return voice
}

/** Returns the words without the pauses between them. */
function spokenPart(samples: Float32Array, spans: readonly SpeechSpan[]): Float32Array {
  const words = spans.map(({ start, end }) => samples.subarray(start, end))
  const speech = new Float32Array(words.reduce((length, word) => length + word.length, 0))
  let at = 0
  for (const word of words) {
    speech.set(word, at)
    at += word.length
  }
  return speech.slice(0, MOST_SPEECH)
}
