import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { theOpenPack } from '@deputize/testing/an-engine.ts'
import { seeded } from '@deputize/testing/puppet/random.ts'
import { fliteProgram } from '@deputize/testing/puppet/supplies.ts'
import { pcm16, recorded, speak, spokenDigits, type VoiceName } from '@deputize/testing/puppet/voice.ts'
import { type AudioAnalysis, type AudioNets, analyseAudio } from '../../src/audio/analyse-audio.ts'
import { openAudio } from '../../src/audio/open-audio.ts'
import { type DuressSign, EngineError } from '../../src/contract.ts'

/** A person says `text` when `digits` are requested, and may have `word` as a secret sign. */
interface Saying {
  readonly text: string
  readonly digits?: string
  readonly voice?: VoiceName
  readonly word?: string
}

let nets: AudioNets
before(
  async () => {
    nets = await openAudio(await theOpenPack())
  },
  { timeout: 300_000 },
)

describe('speaking digits', { timeout: 120_000 }, () => {
  for (const [voice, digits] of [
    ['anna', '526018'],
    ['robert', '479310'],
    ['alan', '602794'],
    ['kevin', '385167'],
  ] as const)
    test(`${voice} is understood`, async () => {
      const { evidence, quality, duress } = await hear({ text: spokenDigits(digits), digits, voice })
      assert.deepEqual([quality, duress], [[], false])
      assert.equal(evidence?.heard?.digits, digits)
      assert.equal(evidence?.heard?.matches, true)
      assert.ok((evidence?.speech_ms ?? 0) > 1000)
    })

  test('too fast to tell a voice must be recorded again, even if the digits could be understood', async () => {
    for (const digits of ['318240', '116228', '222811']) {
      const text = spokenDigits(digits).replaceAll(',', '')
      const speech = await speak(await fliteProgram(), 'robert', text, 0.5)
      const { evidence, quality } = await analyse(pcm16(recorded(speech, 500, 400, seeded(digits))), digits)
      assert.deepEqual([quality, evidence?.heard], [['no_speech'], undefined], `${evidence?.speech_ms} ms`)
    }
  })

  test("the requested digits don't change what is heard", async () => {
    const right = await hear({ text: spokenDigits('526018'), digits: '526018' })
    const wrong = await hear({ text: spokenDigits('526018'), digits: '526019' })
    assert.equal(wrong.evidence?.heard?.matches, false)
    assert.deepEqual({ ...wrong.evidence?.heard, matches: true }, right.evidence?.heard)
  })

  test('another sentence is not mistaken for digits', async () => {
    const { evidence } = await hear({ text: 'The weather is nice today, is it not?' })
    assert.equal(evidence?.heard?.digits, '')
    assert.equal(evidence?.heard?.matches, false)
  })

  test('evidence contains no text, and voices only from the nets of the pack', async () => {
    const { evidence } = await hear({ text: 'The weather is nice today, is it not?' })
    assert.ok(!/weather|nice|today/i.test(JSON.stringify(evidence)))
    assert.deepEqual(Object.keys(evidence?.voice ?? {}), Object.keys(nets.voice))
  })
})

describe('the secret word', { timeout: 120_000 }, () => {
  test('is heard after the digits, and the digits still match', async () => {
    const { evidence, duress } = await hear({ text: `${spokenDigits('526018')}, banana`, word: 'banana' })
    assert.deepEqual([duress, evidence?.heard?.matches], [true, true])
  })

  test('is heard before the digits', async () => {
    const text = `Captain, ${spokenDigits('526018')}`
    const { evidence, duress } = await hear({ text, word: 'captain', voice: 'robert' })
    assert.deepEqual([duress, evidence?.heard?.matches], [true, true])
  })

  test('does not count if it is a decoy that the person never chose', async () => {
    const speech = await speak(await fliteProgram(), 'anna', `${spokenDigits('526018')}, banana`)
    const said = pcm16(recorded(speech, 500, 400, seeded('decoy')))
    assert.equal((await analyse(said, '526018', signWith('banana'))).duress, true)
    assert.equal((await analyse(said, '526018', { ...signWith('banana'), is_decoy: true })).duress, false)
  })

  test('of another person is not heard', async () => {
    const { duress } = await hear({ text: `${spokenDigits('526018')}, banana`, word: 'umbrella' })
    assert.equal(duress, false)
  })
})

describe('sound without speech', { timeout: 120_000 }, () => {
  const LENGTH = 5 * 16_000
  const random = seeded('noise')
  const SOUNDS: Readonly<Record<string, (at: number) => number>> = {
    silence: () => 0,
    hiss: () => (random() - 0.5) * 0.4,
    hum: (at) => 0.3 * Math.sin(at / 40),
    'a chord': (at) => [262, 330, 392].reduce((sum, hz) => sum + 0.2 * Math.sin((at * hz) / 2546), 0),
    'full scale': (at) => (Math.floor(at / 40) % 2 === 0 ? 1 : -1),
    clicks: (at) => (at % 2000 === 0 ? 1 : 0),
  }
  for (const [name, sample] of Object.entries(SOUNDS))
    test(`${name} must be recorded again`, async () => {
      const { evidence, quality, duress } = await analyse(
        pcm16(Float32Array.from({ length: LENGTH }, (_, at) => sample(at))),
      )
      assert.equal(quality.length, 1)
      assert.equal(evidence?.heard, undefined)
      assert.equal(duress, false)
      assert.ok(allFinite(evidence))
    })

  test('no sound at all must be recorded again', async () => {
    const step = { kind: 'speak', digits: '526018' } as const
    const { quality } = await analyseAudio(step, undefined, signWith('banana'), nets)
    assert.deepEqual(quality, ['no_speech'])
  })

  test('sound of other steps is not analysed', async () => {
    const sound = { t0_ms: 0, pcm16: new Uint8Array(32_000) }
    const { evidence, quality } = await analyseAudio({ kind: 'neutral' }, sound, signWith('banana'), nets)
    assert.deepEqual([evidence, quality], [undefined, []])
  })
})

describe('hostile sound', { timeout: 120_000 }, () => {
  test('15 mutated recordings yield evidence with finite numbers or are refused', async () => {
    const speech = await speak(await fliteProgram(), 'anna', 'four, two')
    const recording = pcm16(recorded(speech, 200, 200, seeded('hostile')))
    const random = seeded('mutations')
    for (let round = 0; round < 15; round += 1) {
      try {
        const { evidence } = await analyse(mutated(recording, random))
        assert.ok(allFinite(evidence))
      } catch (error) {
        assert.ok(error instanceof EngineError && error.code === 'bad_media', String(error))
      }
    }
  })
})

async function hear({
  text,
  digits = '526018',
  voice = 'anna',
  word = 'wizard',
}: Saying): Promise<AudioAnalysis> {
  const speech = await speak(await fliteProgram(), voice, text)
  return analyse(pcm16(recorded(speech, 500, 400, seeded(text))), digits, signWith(word))
}

function analyse(
  bytes: Uint8Array,
  digits = '526018',
  sign: DuressSign = signWith('wizard'),
): Promise<AudioAnalysis> {
  const sound = { t0_ms: 0, pcm16: bytes }
  return analyseAudio({ kind: 'speak', digits }, sound, sign, nets)
}

/** The sign of a person who chose this word. */
function signWith(word: string): DuressSign {
  return { word, is_decoy: false, gesture: undefined }
}

/** Returns a copy with a different length, changed bytes, a part at full scale, or parts in a different order. */
function mutated(bytes: Uint8Array, random: () => number): Uint8Array {
  const below = (limit: number) => Math.floor(random() * limit)
  const copy = new Uint8Array(bytes).slice(0, below(3) === 0 ? below(bytes.length) : bytes.length)
  for (let edits = below(2000); edits > 0; edits -= 1) copy[below(copy.length)] = below(256)
  const start = below(copy.length)
  if (below(2) === 0) copy.fill(below(2) === 0 ? 0x7f : 0, start, start + below(20_000))
  if (below(2) === 0) copy.copyWithin(below(copy.length), start)
  return copy
}

function allFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(allFinite)
}
