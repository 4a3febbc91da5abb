import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { lipSync } from '../../src/checks/lip-sync.ts'
import type { Loudness, MouthSample } from '../../src/contract.ts'

describe('mouth and sound', () => {
  test('a mouth that opens with the sound is in sync', () => {
    const found = lipSync(mouthOf(talk(1)), soundOf(talk(1)))
    assert.ok(found !== undefined && found.r > 0.9 && found.margin > 0, JSON.stringify(found))
    assert.equal(found.lag_ms, 0)
  })

  test('a camera delay is allowed and found', () => {
    const found = lipSync(mouthOf(talk(1)), { ...soundOf(talk(1)), t0_ms: 80 })
    assert.ok(found !== undefined && found.r > 0.9 && found.margin > 0, JSON.stringify(found))
    assert.equal(found.lag_ms, 80)
  })

  for (const shift_ms of [-800, -400, 400, 800]) {
    test(`sound shifted by ${shift_ms} ms fits better at another time`, () => {
      const found = lipSync(mouthOf(talk(1)), { ...soundOf(talk(1)), t0_ms: shift_ms })
      assert.ok(found !== undefined && found.margin < 0, JSON.stringify(found))
    })
  }

  // One delay in seven counts as near, so some pass by chance: the check only raises the cost.
  test('at most 20 of 90 sounds of a different sentence pass', () => {
    const passed = Array.from({ length: 90 }, (_, seed) => {
      const found = lipSync(mouthOf(talk(seed)), soundOf(talk(seed + 1)))
      return found !== undefined && found.r >= 0.35 && found.margin >= 0
    })
    const count = passed.filter(Boolean).length
    assert.ok(count <= 20, `${count} passed`)
  })

  test('a still mouth does not follow sound', () => {
    assert.equal(
      lipSync(
        mouthOf(() => 0.2),
        soundOf(talk(1)),
      )?.r,
      0,
    )
  })

  test('the noise of a closed mouth does not follow sound, even if it happens to fit', () => {
    const noise = mouthOf((t_ms) => 0.5 + 0.03 * talk(1)(t_ms))
    assert.deepEqual(lipSync(noise, soundOf(talk(1))), { r: 0, margin: 0, lag_ms: -120 })
  })

  test('a mouth that opens little is in sync', () => {
    const found = lipSync(
      mouthOf((t_ms) => 0.5 + 0.2 * talk(1)(t_ms)),
      soundOf(talk(1)),
    )
    assert.ok(found !== undefined && found.r > 0.9 && found.margin > 0, JSON.stringify(found))
  })

  test('picture noise does not hide a real mouth', () => {
    const noise = talk(99)
    const found = lipSync(
      mouthOf((t_ms) => talk(1)(t_ms) + 0.3 * noise(t_ms * 7)),
      soundOf(talk(1)),
    )
    assert.ok(found !== undefined && found.r > 0.35 && found.margin > 0, JSON.stringify(found))
  })

  test('too few frames, too little time and no overlap are not judged', () => {
    const sound = soundOf(talk(1))
    assert.equal(lipSync([], sound), undefined)
    assert.equal(lipSync(mouthOf(talk(1), 500), sound), undefined)
    assert.equal(lipSync(mouthOf(talk(1)).slice(0, 12), sound), undefined)
    assert.equal(lipSync(mouthOf(talk(1)), { ...sound, t0_ms: 60_000 }), undefined)
    assert.equal(lipSync(mouthOf(talk(1)), { ...sound, log_energy: [] }), undefined)
  })
})

/** Returns how open a mouth is over time, 0 to 1: syllables of irregular length, different for each seed. */
function talk(seed: number): (t_ms: number) => number {
  const waves = Array.from({ length: 6 }, (_, at) => {
    const hz = 0.7 + 0.55 * at + 0.31 * Math.abs(Math.sin(seed * 12.9 + at * 78.2))
    return { hz, phase: 6.28 * Math.abs(Math.sin(seed * 39.3 + at * 11.1)) }
  })
  return (t_ms) =>
    waves.reduce((sum, { hz, phase }) => sum + 1 + Math.sin((6.283 * hz * t_ms) / 1000 + phase), 0) / 12
}

function mouthOf(opening: (t_ms: number) => number, every_ms = 83): MouthSample[] {
  const count = Math.floor(5000 / every_ms)
  return Array.from({ length: count }, (_, at) => ({ t_ms: at * every_ms, darkness: opening(at * every_ms) }))
}

function soundOf(opening: (t_ms: number) => number): Loudness {
  const log_energy = Array.from({ length: 125 }, (_, at) => -6 + 4 * opening(at * 40 + 20))
  return { t0_ms: 0, step_ms: 40, log_energy }
}
