/**
 * Measures how well voices are told apart: `npx node biometrics/eval/voice-pairs.ts [phrases]`. Every voice of the puppets
 * speaks some phrases of six digits, each recorded clean, with noise 20 dB below it and through a dull microphone. Prints
 * the scores of pairs, and what each threshold would accept and refuse. Takes some minutes.
 */

import { openPack } from '@deputize/biometrics'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { gaussian, type Random, seeded } from '@deputize/testing/puppet/random.ts'
import { fliteProgram } from '@deputize/testing/puppet/supplies.ts'
import {
  recorded,
  type Samples,
  speak,
  spokenDigits,
  VOICES,
  type VoiceName,
} from '@deputize/testing/puppet/voice.ts'
import { describeVoice } from '../src/audio/describe-voice.ts'
import { openAudio } from '../src/audio/open-audio.ts'
import { speechProbabilities, speechSpans } from '../src/audio/speech-spans.ts'
import { quantile } from '../src/checks/medians.ts'
import { voiceScore } from '../src/checks/voice-score.ts'
import type { AudioEvidence } from '../src/contract.ts'
import { cosine } from '../src/judge/embeddings.ts'

const [phrases = 8] = process.argv.slice(2).map(Number)
const THRESHOLDS = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55]
const NAMES = Object.keys(VOICES) as VoiceName[] // the keys of a constant table

/** What stands between a voice and the file. */
const MICROPHONES: readonly ((sound: Samples, random: Random) => Samples)[] = [
  (sound) => sound,
  (sound, random) => {
    const level = 0.1 * Math.sqrt(sound.reduce((sum, sample) => sum + sample ** 2, 0) / sound.length)
    return sound.map((sample) => sample + level * gaussian(random))
  },
  (sound, random) => {
    const share = 0.3 + 0.4 * random()
    let last = 0
    return sound.map((sample) => {
      last += share * (sample - last)
      return last * 1.5
    })
  },
]

interface Utterance {
  readonly name: VoiceName
  readonly phrase: number
  readonly voice: AudioEvidence['voice']
}

async function utterances(): Promise<Utterance[]> {
  const nets = await openAudio(openPack(await anEngine()))
  const flite = await fliteProgram()
  const all: Utterance[] = []
  for (const name of NAMES)
    for (let phrase = 0; phrase < phrases; phrase++) {
      const random = seeded(`${name} ${phrase}`)
      const digits = Array.from({ length: 6 }, () => Math.floor(random() * 10)).join('')
      const speech = await speak(flite, name, `${spokenDigits(digits)}.`)
      for (const through of MICROPHONES) {
        const sound = through(recorded(speech, 450, 400, random), random)
        const spans = speechSpans(await speechProbabilities(nets.vad, sound), sound.length)
        all.push({ name, phrase, voice: await describeVoice(nets.voice, sound, spans) })
      }
    }
  return all
}

function likeness(one: Utterance, other: Utterance): number {
  const of = (net: keyof Utterance['voice']) => cosine(one.voice[net] ?? '', other.voice[net] ?? '')
  const [ecapa, ge2e] = [of('ecapa'), of('ge2e')]
  const score = voiceScore({ ...(ecapa !== undefined && { ecapa }), ...(ge2e !== undefined && { ge2e }) })
  if (score === undefined) throw new Error('The engine pack has no nets for voices: install it with Python.')
  return score
}

/** Scores by what the two voices have in common. The same recording through two microphones is no pair. */
function pairScores(all: readonly Utterance[]): Map<string, number[]> {
  const scores = new Map<string, number[]>()
  for (const [i, one] of all.entries())
    for (const other of all.slice(i + 1)) {
      if (one.name === other.name && one.phrase === other.phrase) continue
      const kind = kindOf(one.name, other.name)
      scores.set(kind, [...(scores.get(kind) ?? []), likeness(one, other)])
    }
  return scores
}

const SAME = 'one voice'
const PITCHED = 'one speaker, another pitch'
const OTHERS = 'two speakers'

function kindOf(one: VoiceName, other: VoiceName): string {
  if (one === other) return SAME
  return VOICES[one].speaker === VOICES[other].speaker ? PITCHED : OTHERS
}

const share = (values: readonly number[], isOne: (value: number) => boolean) =>
  `${((100 * values.filter(isOne).length) / values.length).toFixed(1)} %`

const scores = pairScores(await utterances())
for (const [kind, values] of scores) {
  const at = [0, 0.05, 0.5, 0.95, 1].map((part) => quantile(values, part)?.toFixed(2)).join(' / ')
  process.stdout.write(`${kind}: n = ${values.length}, least / 5 % / median / 95 % / most: ${at}\n`)
}
for (const threshold of THRESHOLDS) {
  const refused = share(scores.get(SAME) ?? [], (score) => score < threshold)
  const accepted = share(scores.get(OTHERS) ?? [], (score) => score >= threshold)
  process.stdout.write(`${threshold}: refuses one voice ${refused}, accepts two speakers ${accepted}\n`)
}
