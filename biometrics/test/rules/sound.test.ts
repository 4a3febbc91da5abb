import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loudness, signalToNoise } from '../../src/audio/loudness.ts'
import { clippedShare, readSound, SAMPLE_RATE } from '../../src/audio/read-sound.ts'
import { speechSpans, spokenMs } from '../../src/audio/speech-spans.ts'
import { heardDigits } from '../../src/checks/heard-digits.ts'
import { soundQuality } from '../../src/checks/sound-quality.ts'
import { EngineError } from '../../src/contract.ts'

describe('reading sound', () => {
  test('samples are little-endian and signed', () => {
    const pcm16 = new Uint8Array(SAMPLE_RATE)
    pcm16.set([0x00, 0x80, 0xff, 0x7f, 0x00, 0x40])
    const samples = readSound({ t0_ms: 0, pcm16 })
    assert.deepEqual([...samples.subarray(0, 4)], [-1, 32_767 / 32_768, 0.5, 0])
  })

  for (const [what, pcm16, t0_ms, pointer] of [
    ['nothing', new Uint8Array(0), 0, '/sound/pcm16'],
    ['half a sample', new Uint8Array(32_001), 0, '/sound/pcm16'],
    ['a click', new Uint8Array(200), 0, '/sound/pcm16'],
    ['ten minutes', new Uint8Array(600 * SAMPLE_RATE * 2), 0, '/sound/pcm16'],
    ['a sound without a time', new Uint8Array(32_000), Number.NaN, '/sound/t0_ms'],
  ] as const) {
    test(`${what} is refused with its place`, () => {
      assert.throws(
        () => readSound({ t0_ms, pcm16 }),
        (error) => error instanceof EngineError && error.code === 'bad_media' && error.pointer === pointer,
      )
    })
  }

  test('each of 10,000 random blobs is read completely or refused', () => {
    let state = 1
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    const noise = Uint8Array.from({ length: 40_000 }, () => random(256))
    let refused = 0
    for (let round = 0; round < 10_000; round += 1) {
      const start = random(noise.length)
      const pcm16 = noise.subarray(start, start + random(noise.length))
      try {
        const samples = readSound({ t0_ms: random(100), pcm16 })
        assert.equal(samples.length * 2, pcm16.length)
        assert.ok(Math.abs(samples[random(samples.length)] ?? 2) <= 1)
      } catch (error) {
        assert.ok(error instanceof EngineError && error.code === 'bad_media', String(error))
        refused += 1
      }
    }
    assert.ok(refused > 5000 && refused < 10_000, `${refused} refused`)
  })

  test('full scale counts as clipped', () => {
    assert.equal(clippedShare(Float32Array.of(1, -1, 0.5, 0)), 0.5)
  })
})

describe('speech in a sound', () => {
  test('short pauses are part of the speech, long ones are not', () => {
    const spans = speechSpans(windows('..#####..#####..........#####'), 29 * 512)
    assert.deepEqual(spans, [
      { start: 2 * 512, end: 14 * 512 },
      { start: 24 * 512, end: 29 * 512 },
    ])
    assert.equal(spokenMs(spans), 17 * 32)
  })

  test('a click is not speech', () => {
    assert.deepEqual(speechSpans(windows('....#.....'), 5120), [])
  })

  test('the level between words is the noise', () => {
    const samples = tone(1000, 0.01, 3)
    samples.set(tone(1000, 0.1, 1), SAMPLE_RATE)
    const snr_db = signalToNoise(samples, [{ start: SAMPLE_RATE, end: 2 * SAMPLE_RATE }])
    assert.ok(Math.abs(snr_db - 20) < 0.5, `${snr_db} dB`)
  })

  test('silence has finite levels', () => {
    const silence = new Float32Array(SAMPLE_RATE)
    assert.equal(signalToNoise(silence, []), 0)
    assert.ok(loudness(silence, 0).log_energy.every(Number.isFinite))
  })
})

describe('loudness of the voice band', () => {
  test('vowels count, but hum and hiss hardly do', () => {
    const [hum, vowel, hiss] = [60, 1000, 7500].map((hz) => loudness(tone(hz, 0.1, 1), 0).log_energy[12])
    assert.ok(hum !== undefined && vowel !== undefined && hiss !== undefined)
    assert.ok(vowel - hum > 2, 'at least 20 dB')
    assert.ok(vowel - hiss > 1, 'at least 10 dB')
  })

  test('it starts when the recorder started', () => {
    assert.equal(loudness(tone(1000, 0.1, 1), 137.4).t0_ms, 137)
    assert.equal(loudness(tone(1000, 0.1, 1), 0).log_energy.length, 25)
  })
})

describe('sound that must be recorded again', () => {
  const GOOD = { speech_ms: 2400, snr_db: 20, clipped: 0 }

  test('a good sound need not be repeated', () => assert.deepEqual(soundQuality(GOOD), []))
  test('too little speech', () => assert.deepEqual(soundQuality({ ...GOOD, speech_ms: 990 }), ['no_speech']))
  test('noise as loud as speech', () => assert.deepEqual(soundQuality({ ...GOOD, snr_db: 3 }), ['too_noisy']))
  test('full scale all the time', () =>
    assert.deepEqual(soundQuality({ ...GOOD, clipped: 0.4 }), ['too_noisy']))
})

describe('digits that were heard', () => {
  const heard = (digits: string, log_likelihood: number, free_log_likelihood: number) =>
    ({ candidates: [{ digits, word: 'absent', log_likelihood }], free_log_likelihood }) as const

  test('the right ones match, others do not', () => {
    assert.equal(heardDigits(heard('471902', -2, -2.5), '471902').matches, true)
    assert.equal(heardDigits(heard('471903', -2, -2.5), '471902').matches, false)
  })

  test('the right ones do not match if something else is far more likely', () => {
    const { digits, matches, margin } = heardDigits(heard('471902', -40, -3), '471902')
    assert.deepEqual([digits, matches], ['', false])
    assert.ok(margin < -5)
  })

  test('nothing heard does not match, even if nothing was requested', () => {
    assert.equal(heardDigits({ candidates: [], free_log_likelihood: -1 }, '').matches, false)
  })
})

function windows(picture: string): number[] {
  return [...picture].map((mark) => (mark === '#' ? 0.9 : 0.1))
}

function tone(hz: number, level: number, seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, at) => {
    return level * Math.sin((2 * Math.PI * hz * at) / SAMPLE_RATE)
  })
}
