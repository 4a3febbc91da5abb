import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { EvaluationError } from '../../src/eval/evaluation-error.ts'
import { readLabels } from '../../src/eval/labelled-capture.ts'
import { rateOf } from '../../src/eval/rates.ts'
import { samplesOfWav, wavOf } from '../../src/eval/wav.ts'

describe('rates', () => {
  test('have the Wilson interval', () => {
    // The textbook value for 10 of 100.
    const { share, low, high } = rateOf(10, 100)
    assert.equal(share, 0.1)
    assert.ok(Math.abs(low - 0.0552) < 5e-4 && Math.abs(high - 0.1744) < 5e-4, `${low} ${high}`)
  })

  test('no error in 30 captures is compatible with one in nine', () => {
    const { low, high } = rateOf(0, 30)
    assert.equal(low, 0)
    assert.ok(Math.abs(high - 0.1135) < 5e-4, String(high))
  })

  test('are undefined without captures', () => {
    assert.deepEqual(rateOf(0, 0), { events: 0, of: 0, share: undefined, low: 0, high: 1 })
  })

  test('are within their interval, which narrows with more captures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, part) => {
          const events = Math.round(of * part)
          const { share = Number.NaN, low, high } = rateOf(events, of)
          const more = rateOf(events * 4, of * 4)
          assert.ok(low >= 0 && low <= share && share <= high && high <= 1)
          assert.ok(more.high - more.low <= high - low + 1e-12)
        },
      ),
    )
  })
})

describe('capture labels', () => {
  const labels = {
    subject: 'ana',
    species: 'bona_fide',
    purpose: 'verify',
    steps: [{ step: { kind: 'neutral' }, frames: [{ t_ms: 0, file: 'a.jpg' }] }],
  }
  const read = (changes: object) => readLabels(JSON.stringify({ ...labels, ...changes }), 'capture.json')

  test('are read as written', () => {
    const { subject, accommodations, steps } = read({})
    assert.equal(subject, 'ana')
    assert.deepEqual(accommodations, [])
    assert.deepEqual(steps[0]?.frames, [{ t_ms: 0, file: 'a.jpg' }])
  })

  const WRONG: readonly [object, RegExp][] = [
    [{ subject: '' }, /subject must be a text/],
    [{ purpose: 'login' }, /purpose must be one of enroll, verify/],
    [{ steps: 'none' }, /steps must be a list/],
    [{ steps: [{ step: { kind: 'dance' } }] }, /steps\[0\]: step: kind must be one of/],
    [
      { steps: [{ step: { kind: 'neutral' }, frames: [{ t_ms: 'now', file: 'a.jpg' }] }] },
      /t_ms must be a number/,
    ],
    [
      { steps: [{ step: { kind: 'neutral' }, frames: [{ t_ms: 0, file: '../../etc/passwd' }] }] },
      /file must be the name of a file in the same folder/,
    ],
  ]
  for (const [changes, message] of WRONG)
    test(`are rejected with the reason: ${message.source}`, () => {
      assert.throws(
        () => read(changes),
        (error: unknown) => error instanceof EvaluationError && message.test(error.message),
      )
    })
})

describe('a WAV file', () => {
  test('returns the samples that were written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const samples = bytes.subarray(0, bytes.length - (bytes.length % 2))
        assert.deepEqual(Buffer.from(samplesOfWav(wavOf(samples), 'a.wav')), Buffer.from(samples))
      }),
    )
  })

  test('is refused at another sample rate', () => {
    const wav = wavOf(new Uint8Array(4))
    wav.writeUInt32LE(44_100, 24)
    assert.throws(() => samplesOfWav(wav, 'a.wav'), EvaluationError)
  })
})
