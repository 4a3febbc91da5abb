import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { EventNumbers, type LogRestore } from '../../src/events/event-numbers.ts'

const restore = fc.record({ log_size: fc.nat(1000), mark: fc.integer({ min: 1, max: 899_999 }) })
const restores = fc
  .uniqueArray(restore, { maxLength: 5, selector: ({ mark }) => mark })
  .map((some) => some.toSorted((one, other) => one.log_size - other.log_size))

describe('the number of an event', () => {
  test('leads back to its log entry', () => {
    fc.assert(
      fc.property(restores, fc.nat(1_000_000), (some, log_index) => {
        const numbers = new EventNumbers(some)
        const number = numbers.of(log_index)
        assert.ok(Number.isSafeInteger(number))
        assert.equal(numbers.indexOf(number), log_index)
      }),
    )
  })

  test('is refused after a restore that replaced the event, with the last number that both histories share', () => {
    fc.assert(
      fc.property(restores, restore, fc.nat(2000), (some, next, log_index) => {
        const log_size = (some.at(-1)?.log_size ?? 0) + next.log_size
        fc.pre(some.every(({ mark }) => mark !== next.mark))
        const before = new EventNumbers(some)
        const after = new EventNumbers([...some, { ...next, log_size }])
        const number = before.of(log_index)
        if (log_index < log_size) return assert.equal(after.indexOf(number), log_index)
        assert.equal(after.indexOf(number), undefined)
        const common = after.lastCommon(number)
        assert.equal(common, before.of(log_size - 1))
        assert.equal(common === -1 ? -1 : after.indexOf(common), log_size - 1)
      }),
    )
  })

  test('is also refused if a second restore from the same backup ended its history', () => {
    const first: LogRestore = { log_size: 100, mark: 5 }
    const again = new EventNumbers([{ log_size: 80, mark: 6 }])
    const number = new EventNumbers([first]).of(120)
    assert.equal(again.indexOf(number), undefined)
    assert.equal(again.lastCommon(number), 79)
  })
})
