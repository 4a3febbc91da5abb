import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TurnWork } from '../../src/domain/turn-work.ts'

const anyCalls = fc.array(fc.record({ isAdmitted: fc.boolean(), took_ms: fc.nat({ max: 50 }) }))

test('the work of a turn is the time of the calls that were admitted in it', () => {
  fc.assert(
    fc.property(anyCalls, anyCalls, (before, calls) => {
      const turn = new TurnWork()
      let now_ms = 0
      const carryOut = (all: typeof calls) => {
        for (const { isAdmitted, took_ms } of all) {
          turn.advance(now_ms)
          turn.decide(isAdmitted)
          now_ms += took_ms
        }
      }
      carryOut(before)
      turn.end()
      now_ms += 1_000 // between turns
      carryOut(calls)
      const worked_ms = calls.reduce((sum, { isAdmitted, took_ms }) => sum + (isAdmitted ? took_ms : 0), 0)
      assert.equal(turn.advance(now_ms), worked_ms)
    }),
  )
})
