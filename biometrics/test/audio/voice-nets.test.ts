import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { theOpenPack } from '@deputize/testing/an-engine.ts'
import { readVector } from '@deputize/testing/read-vector.ts'
import { SAMPLE_RATE } from '../../src/audio/read-sound.ts'
import { ecapaEmbedding, ge2eEmbedding, partStarts } from '../../src/audio/voice-embeddings.ts'
import { VOICE_NETS, type VoiceNet } from '../../src/contract.ts'

interface VoiceVectors {
  readonly tolerance: number
  readonly tones: readonly ({ readonly pitch_hz: number } & Readonly<Record<VoiceNet, readonly number[]>>)[]
}

const EMBEDDINGS = { ecapa: ecapaEmbedding, ge2e: ge2eEmbedding } as const

describe('voice nets', () => {
  const { tolerance, tones } = readVector<VoiceVectors>('biometrics/voice-nets.json')

  for (const name of VOICE_NETS)
    test(`${name} describes a tone like the original net`, { timeout: 300_000 }, async () => {
      const pack = await theOpenPack()
      // The voice is optional: a machine without Python installs a pack without it.
      if (!pack.has(name)) return assert.rejects(pack.openNet(name))
      const net = await pack.openNet(name)
      for (const tone of tones) {
        const found = await EMBEDDINGS[name](net, toneOf(tone.pitch_hz))
        assert.equal(found.length, tone[name].length)
        const error = Math.max(...tone[name].map((value, at) => Math.abs(value - (found[at] ?? 0))))
        assert.ok(error < tolerance, `${tone.pitch_hz} Hz differs by ${error}`)
      }
    })

  test('the two tones have different voices', () => {
    for (const name of VOICE_NETS) {
      const [a = [], b = []] = tones.map((tone) => tone[name])
      const cosine = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
      assert.ok(cosine < 0.9, `${name} ${cosine}`)
    }
  })

  test('parts of 1.6 s overlap, and a last part with little sound is left out', () => {
    assert.deepEqual(partStarts(SAMPLE_RATE), [0])
    assert.deepEqual(partStarts(3 * SAMPLE_RATE), [0, 77, 154])
    assert.deepEqual(partStarts(2 * SAMPLE_RATE), [0, 77])
  })
})

/** Generates a tone as for the vectors: twelve harmonics that fade in and out. */
function toneOf(pitch_hz: number): Float32Array {
  return Float32Array.from({ length: 3 * SAMPLE_RATE }, (_, at) => {
    const t = at / SAMPLE_RATE
    const phase = 2 * Math.PI * pitch_hz * t + (20 / 0.7) * (1 - Math.cos(2 * Math.PI * 0.7 * t))
    let sum = 0
    for (let k = 1; k <= 12; k += 1) {
      sum += (Math.sin(k * phase) / k) * (0.5 + 0.5 * Math.sin(2 * Math.PI * 3 * t + k))
    }
    return Math.round(sum * 0.1 * 32_768) / 32_768
  })
}
