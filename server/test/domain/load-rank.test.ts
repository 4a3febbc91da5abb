import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { LOAD_RANKS, type LoadedCall, Shedding } from '../../src/domain/load/load-rank.ts'

const aCall = (call: Partial<LoadedCall>): LoadedCall => ({
  rank: 'read',
  is_modest: false,
  expected_wait_ms: 0,
  unread_wait_ms: 0,
  endless_ms: 0,
  ...call,
})

/** Whether a read of a caller with exactly its share would be refused at these times, with a limit of 100 ms. */
function refusals(waits: readonly (readonly [now_ms: number, call: Partial<LoadedCall>])[]): boolean[] {
  const shedding = new Shedding(1_600)
  return waits.map(([now_ms, call]) => shedding.isRefused(aCall(call), now_ms))
}

describe('shedding', () => {
  const anyWait = fc.double({ min: 0, max: 1e9, noNaN: true })
  const anyLimit = fc.integer({ min: 1, max: 60_000 })

  test('refuses a call only if it refuses every call of a lower rank, and never a stop', () => {
    fc.assert(
      fc.property(anyWait, anyWait, anyLimit, (expected_wait_ms, unread_wait_ms, longest_ms) => {
        const shedding = new Shedding(longest_ms)
        const isRefused = (rank: LoadedCall['rank'], now_ms: number) =>
          shedding.isRefused(aCall({ rank, expected_wait_ms, unread_wait_ms }), now_ms)
        for (const rank of LOAD_RANKS) isRefused(rank, 0) // the first time
        const refused = LOAD_RANKS.map((rank) => isRefused(rank, 100))
        assert.deepEqual(refused, refused.toSorted().reverse())
        assert.equal(refused.at(-1), false)
        assert.equal(refused[0], Math.max(expected_wait_ms, unread_wait_ms) > longest_ms / 16)
      }),
    )
  })

  test('lets callers with less than their share wait twice as long, at every rank', () => {
    fc.assert(
      fc.property(anyWait, anyLimit, fc.constantFrom(...LOAD_RANKS), (expected_wait_ms, longest_ms, rank) => {
        const isRefused = (is_modest: boolean, wait_ms: number) => {
          const shedding = new Shedding(longest_ms)
          const call = aCall({ rank, is_modest, expected_wait_ms: wait_ms })
          shedding.isRefused(call, 0)
          return shedding.isRefused(call, 100)
        }
        assert.equal(isRefused(true, expected_wait_ms), isRefused(false, expected_wait_ms / 2))
      }),
    )
  })

  test('refuses nothing because of a hiccup', () => {
    const overlong = { expected_wait_ms: 150, unread_wait_ms: 10_000 }
    assert.deepEqual(
      refusals([
        [0, overlong],
        [50, overlong],
        [99, overlong],
        [200, overlong], // the first one is over, and another begins
      ]),
      [false, false, false, false],
    )
  })

  test('refuses new calls at once while calls have been read without an end for too long', () => {
    assert.deepEqual(
      refusals([
        [0, { endless_ms: 100 }],
        [0, { endless_ms: 101 }],
        [0, { endless_ms: 101, is_modest: true }],
        [0, { endless_ms: 1_000_000, rank: 'stop' }],
      ]),
      [false, true, false, false],
    )
  })

  test('refuses a call at once if it would wait more than one and a half times its limit', () => {
    assert.deepEqual(refusals([[0, { expected_wait_ms: 151 }]]), [true])
  })

  test('once waits were too long for a while, checks each call until they have been short for a while', () => {
    for (const member of ['expected_wait_ms', 'unread_wait_ms'])
      assert.deepEqual(
        refusals([
          [0, { [member]: 101 }],
          [50, { [member]: 101 }],
          [100, { [member]: 101 }],
          [110, { [member]: 99 }],
          [200, { [member]: 101 }],
          [301, { [member]: 101 }],
        ]),
        [false, false, true, false, true, false],
        member,
      )
  })
})
