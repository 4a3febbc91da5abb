import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawSteps, redrawFirst, stepDurationMs } from '../../src/challenge.ts'
import { FLASH_COLORS, GESTURES, MOVEMENTS, type Step } from '../../src/contract.ts'

const DRAWS = 4_000

function counted<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/**
 * Asserts that every value is about equally frequent. A fair draw leaves these bounds less than once in a million runs.
 */
function assertEven<T>(values: readonly T[], choices: number): void {
  const counts = counted(values)
  assert.equal(counts.size, choices)
  const mean = values.length / choices
  for (const [value, count] of counts)
    assert.ok(Math.abs(count - mean) < 6 * Math.sqrt(mean), `${String(value)}: ${count} of ${values.length}`)
}

const captures = Array.from({ length: DRAWS }, () => drawSteps([]))
const stepsOf = <Kind extends Step['kind']>(kind: Kind) =>
  captures.flat().filter((step): step is Extract<Step, { kind: Kind }> => step.kind === kind)

describe('the steps of a capture', () => {
  test('begin with a neutral face, and include both turns and one other movement', () => {
    for (const steps of captures) {
      assert.equal(steps.length, 7)
      assert.equal(steps[0]?.kind, 'neutral')
      const movements = steps.slice(1, 4).map((step) => step.kind === 'move' && step.movement)
      assert.equal(new Set(movements).size, 3)
      assert.ok(movements.includes('turn_left') && movements.includes('turn_right'))
    }
  })

  test('have every order equally often', () => {
    const order = (steps: readonly Step[]) =>
      steps
        .slice(1)
        .map((step) => (step.kind === 'move' && step.movement.startsWith('turn') ? step.movement : step.kind))
        .join()
    assertEven(captures.map(order), 3 * 2 * 6)
  })

  test('draw every task equally often', () => {
    const others = stepsOf('move').filter(({ movement }) => !movement.startsWith('turn'))
    assertEven(
      others.map(({ movement }) => movement),
      MOVEMENTS.length - 2,
    )
    assertEven(
      stepsOf('gesture').map(({ gesture }) => gesture),
      GESTURES.length,
    )
    for (let at = 0; at < 6; at++)
      assertEven(
        stepsOf('speak').map(({ digits }) => digits[at]),
        10,
      )
    for (const at of [0, 5, 11])
      assertEven(
        stepsOf('flash').map(({ colors }) => colors[at]),
        FLASH_COLORS.length,
      )
  })

  test('change the colour at every slot, at most three times a second', () => {
    for (const { colors, slot_ms } of stepsOf('flash')) {
      assert.equal(colors.length, 12)
      assert.ok(slot_ms >= 334)
      for (const [at, color] of colors.entries()) assert.notEqual(color, colors[at - 1])
    }
  })

  test('leave out what a person cannot do, and nothing else', () => {
    const kinds = (steps: readonly Step[]) => new Set(steps.map(({ kind }) => kind))
    assert.deepEqual(kinds(drawSteps(['no_voice', 'no_hand', 'no_flash'])), new Set(['neutral', 'move']))
    assert.equal(kinds(drawSteps(['no_voice'])).has('speak'), false)
    assert.equal(drawSteps(['no_hand']).length, 6)
  })

  test('can be answered within the time of a session', () => {
    for (const steps of captures)
      assert.ok(steps.reduce((sum, step) => sum + stepDurationMs(step), 0) < 60_000)
  })
})

describe('a repeated step', () => {
  test('has a different task of its kind, and the remaining steps keep their kinds', () => {
    for (const steps of captures.slice(0, 500))
      for (let at = 0; at < steps.length; at++) {
        const left = steps.slice(at)
        const drawn = redrawFirst(left)
        assert.deepEqual(
          drawn.map(({ kind }) => kind),
          left.map(({ kind }) => kind),
        )
        const [before, after] = [left[0], drawn[0]]
        if (before?.kind === 'gesture' && after?.kind === 'gesture')
          assert.notEqual(after.gesture, before.gesture)
      }
  })

  test('keeps both turns among the movements', () => {
    for (const steps of captures.slice(0, 500)) {
      const drawn = [steps[0], ...redrawFirst(steps.slice(1))]
      const movements = drawn.flatMap((step) => (step?.kind === 'move' ? [step.movement] : []))
      assert.ok(movements.includes('turn_left') && movements.includes('turn_right'))
      assert.equal(new Set(movements).size, 3)
    }
  })
})
