import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { TurnWork } from '../../src/domain/load/turn-work.ts'

interface TurnCall {
  readonly isAdmitted: boolean
  readonly took_ms: number
}

const anyCalls = fc.array(fc.record({ isAdmitted: fc.boolean(), took_ms: fc.nat({ max: 50 }) }))
const sumOf = (calls: readonly TurnCall[]) => calls.reduce((sum, { took_ms }) => sum + took_ms, 0)

/** Carries out calls one after another and returns when the last one ended. */
function carryOut(turn: TurnWork, calls: readonly TurnCall[], from_ms: number): number {
  let now_ms = from_ms
  for (const { isAdmitted, took_ms } of calls) {
    turn.advance(now_ms)
    turn.decide(isAdmitted)
    now_ms += took_ms
  }
  return now_ms
}

describe('the work of a turn', () => {
  test('is the time of the calls admitted in it, or nothing if refusals took more', () => {
    fc.assert(
      fc.property(anyCalls, anyCalls, (before, calls) => {
        const turn = new TurnWork()
        const ended_ms = carryOut(turn, before, 0)
        turn.end(ended_ms)
        const now_ms = carryOut(turn, calls, ended_ms + 1_000)
        const admitted_ms = sumOf(calls.filter(({ isAdmitted }) => isAdmitted))
        const refused_ms = sumOf(calls) - admitted_ms
        assert.equal(turn.advance(now_ms), admitted_ms < refused_ms ? 0 : admitted_ms)
      }),
    )
  })

  test('includes refusals in how long turns usually take, but not the time between turns', () => {
    const turn = new TurnWork()
    for (let n = 0; n < 20; n++)
      turn.end(carryOut(turn, [{ isAdmitted: n % 2 === 0, took_ms: 30 }], n * 1_000))
    assert.ok(Math.abs(turn.usual_ms - 30) < 1, String(turn.usual_ms))
  })

  test('is endless from the 513th call until the turn ends', () => {
    const turn = new TurnWork()
    const calls = Array.from({ length: 600 }, (_, n) => ({ isAdmitted: n % 2 === 0, took_ms: 1 }))
    carryOut(turn, calls.slice(0, 512), 1_000)
    assert.equal(turn.endless_ms, 0)
    carryOut(turn, calls.slice(512), 1_512)
    assert.equal(turn.endless_ms, 599)
    turn.end(1_600)
    carryOut(turn, calls.slice(0, 1), 1_600)
    assert.equal(turn.endless_ms, 0)
  })
})
