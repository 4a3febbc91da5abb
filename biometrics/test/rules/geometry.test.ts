import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PLANE } from '../../src/vision/face-points.ts'
import { fitHomography, fitSimilarity, project } from '../../src/vision/geometry.ts'
import { formDistance, lookupForm } from '../../src/vision/lookup-form.ts'
import { MOIRE_SIZE, moirePeak } from '../../src/vision/moire.ts'
import { parallaxOf } from '../../src/vision/parallax.ts'
import { place, samplePatch, turnedSquare } from '../../src/vision/sample.ts'

const coordinate = fc.double({ min: -2, max: 2, noNaN: true })
const point = fc.record({ x: coordinate, y: coordinate })
const small = fc.double({ min: -0.25, max: 0.25, noNaN: true })

describe('parallax', () => {
  /** Points spread like a face: eyes at the top, mouth at the bottom. */
  const flat = PLANE.map((_, i) => ({ x: (i % 4) * 0.4 - 0.1, y: Math.floor(i / 4) * 0.5 + (i % 3) * 0.07 }))
  const nose = { x: 0.5, y: 0.6 }

  test('of a flat object is zero, however it is moved, turned or tilted', () => {
    fc.assert(
      fc.property(fc.tuple(small, small, small, small, small, small, small, small), (moves) => {
        const [a, b, c, d, e, f, g, h] = moves
        const view = [1 + a, b, c, d, 1 + e, f, g, h]
        const now = [...flat, nose].map((at) => project(view, at))
        const seen = parallaxOf([...flat, nose], now)
        assert.ok(seen !== undefined && Math.hypot(seen.x, seen.y) < 1e-6)
      }),
    )
  })

  test('of a nose is its movement beyond the plane', () => {
    const seen = parallaxOf([...flat, nose], [...flat, { x: nose.x + 0.1, y: nose.y - 0.02 }])
    assert.ok(seen !== undefined && Math.abs(seen.x - 0.1) < 1e-9 && Math.abs(seen.y + 0.02) < 1e-9)
  })

  test('of points on a line is undefined', () => {
    const line = [...flat, nose].map(({ x }) => ({ x, y: x }))
    assert.equal(parallaxOf(line, line), undefined)
    assert.equal(fitHomography(line, line), undefined)
  })
})

test('a similarity is recovered from the points that it moved', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat({ max: 400 }), { minLength: 3, maxLength: 9 }),
      point,
      point,
      (places, turn, shift) => {
        const points = places.map((at) => ({ x: at % 20, y: Math.floor(at / 20) }))
        fc.pre(Math.hypot(turn.x, turn.y) > 0.1)
        const map = { a: turn.x, b: turn.y, x0: shift.x, y0: shift.y }
        const found = fitSimilarity(
          points,
          points.map((one) => place(map, one)),
        )
        for (const key of ['a', 'b', 'x0', 'y0'] as const) assert.ok(Math.abs(found[key] - map[key]) < 1e-6)
      },
    ),
  )
})

test('a patch that is neither turned nor scaled has the pixels of the picture', () => {
  const rgb = Uint8Array.from({ length: 40 * 30 * 3 }, (_, i) => (i * 7) % 256)
  const map = turnedSquare({ x: 14.5, y: 12.5 }, 10, 0, 10)
  const patch = samplePatch({ width: 40, height: 30, rgb }, map, 10, { scale: 1, offset: 0, planes: false })
  assert.deepEqual([...patch.subarray(0, 3)], [...rgb.subarray((8 * 40 + 10) * 3, (8 * 40 + 10) * 3 + 3)])
})

describe('a screen pattern', () => {
  const noise = Float32Array.from({ length: MOIRE_SIZE ** 2 }, (_, i) => {
    const byte = createHash('sha256').update(String(i)).digest()[0] ?? 0
    return 120 + (byte / 255 - 0.5) * 8
  })
  const withPattern = (strength: number) =>
    noise.map((value, i) => {
      const [x, y] = [i % MOIRE_SIZE, Math.floor(i / MOIRE_SIZE)]
      return value * (1 + strength * Math.sin(x * 1.7 + y * 0.3))
    })

  test('rises above noise', () => {
    assert.ok(moirePeak(noise) < 1.5)
    assert.ok(moirePeak(withPattern(0.04)) > 2)
    assert.ok(moirePeak(withPattern(0.12)) > moirePeak(withPattern(0.04)))
  })

  test('is not the edge of a lip', () => {
    const edge = noise.map((value, i) => value - 60 / (1 + Math.exp(50 + i / 2_000 - (i % MOIRE_SIZE))))
    assert.ok(moirePeak(edge) < 1.8)
  })
})

describe('the lookup form of a face', () => {
  const face = (seed: number) =>
    Float32Array.from({ length: 128 }, (_, i) => Math.sin(seed * 91.7 + i * (seed + 1.3) * 3.1))
  const key = Buffer.alloc(32, 1)

  test('is the same for the same face and key, and close for a similar face', () => {
    const near = face(1).map((value, i) => value + 0.1 * Math.cos(i * 5))
    assert.equal(formDistance(lookupForm(face(1), key), lookupForm(face(1), key)), 0)
    assert.ok(formDistance(lookupForm(face(1), key), lookupForm(near, key)) < 0.1)
    assert.equal(lookupForm(face(1), key).length, 64)
  })

  test('is unrelated under another key', () => {
    const other = lookupForm(face(1), Buffer.alloc(32, 2))
    const distance = formDistance(lookupForm(face(1), key), other)
    assert.ok(distance > 0.4 && distance < 0.6, String(distance))
  })
})
