import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  DIGEST_GAP_MS,
  MESSAGE_GAP_MS,
  MOST_PER_HOUR,
  messageDueAt,
} from '../../src/domain/times/message-timing.ts'
import { quietRunEnd, quietUntil } from '../../src/domain/times/quiet-hours.ts'

const at = (text: string) => Date.parse(text)
const NIGHT = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00' }

describe('quiet hours', () => {
  test("end by the person's clock, even past midnight", () => {
    // In November, Berlin is one hour ahead of UTC.
    assert.equal(quietUntil(NIGHT, at('2026-11-16T21:30:00Z')), at('2026-11-17T06:00:00Z'))
    assert.equal(quietUntil(NIGHT, at('2026-11-17T05:59:59Z')), at('2026-11-17T06:00:00Z'))
    assert.equal(quietUntil(NIGHT, at('2026-11-17T06:00:00Z')), undefined)
    assert.equal(quietUntil(NIGHT, at('2026-11-16T20:59:59Z')), undefined)
    assert.equal(quietUntil(undefined, at('2026-11-16T23:00:00Z')), undefined)
  })

  test('end at seven even in a night when clocks change', () => {
    // Clocks go forward at 2:00 on 29 March 2026 and back at 3:00 on 25 October 2026.
    assert.equal(quietUntil(NIGHT, at('2026-03-28T23:00:00Z')), at('2026-03-29T05:00:00Z'))
    assert.equal(quietUntil(NIGHT, at('2026-10-24T22:00:00Z')), at('2026-10-25T06:00:00Z'))
  })

  test('can cover whole days', () => {
    const weekend = { time_zone: 'UTC', days: ['sat' as const, 'sun' as const], from: '00:00', to: '24:00' }
    assert.equal(quietUntil(weekend, at('2026-11-21T12:00:00Z')), at('2026-11-22T00:00:00Z'))
    assert.equal(quietUntil(weekend, at('2026-11-23T00:00:00Z')), undefined)
    assert.equal(quietRunEnd(weekend, at('2026-11-21T12:00:00Z')), at('2026-11-23T00:00:00Z'))
    assert.equal(quietRunEnd(weekend, at('2026-11-23T00:00:00Z')), at('2026-11-23T00:00:00Z'))
    assert.equal(quietRunEnd(NIGHT, at('2026-11-16T21:30:00Z')), at('2026-11-17T06:00:00Z'))
    const always = { time_zone: 'UTC', from: '00:00', to: '24:00' }
    assert.equal(quietRunEnd(always, at('2026-11-21T00:00:00Z')), at('2026-11-29T00:00:00Z'))
  })
})

describe('a message', () => {
  const ready_ms = at('2026-11-16T12:00:00Z')
  const timing = { ready_ms, sent_ms: [], quiet: undefined, is_urgent: false }

  test('is sent when it is ready, or at once if it was ready before', () => {
    assert.equal(messageDueAt(timing, ready_ms - 5_000), ready_ms)
    assert.equal(messageDueAt(timing, ready_ms + 90_000), ready_ms + 90_000)
  })

  test('waits longer after another message, unless it is urgent', () => {
    const sent_ms = [ready_ms - 1_000]
    assert.equal(messageDueAt({ ...timing, sent_ms }, ready_ms), ready_ms - 1_000 + MESSAGE_GAP_MS)
    assert.equal(messageDueAt({ ...timing, sent_ms, is_urgent: true }, ready_ms), ready_ms)
  })

  test('waits for the end of quiet hours, unless it is urgent', () => {
    const night = at('2026-11-16T23:00:00Z')
    const quiet = { ...timing, ready_ms: night, quiet: NIGHT }
    assert.equal(messageDueAt(quiet, night), at('2026-11-17T06:00:00Z'))
    assert.equal(messageDueAt({ ...quiet, is_urgent: true }, night), night)
    const before = at('2026-11-16T20:59:58Z')
    const late = { ...quiet, ready_ms: before + 5_000 }
    assert.equal(messageDueAt(late, before), at('2026-11-17T06:00:00Z'), 'not gathered before they begin')
  })

  test('waits for a digest after many messages in an hour, even if it is urgent', () => {
    const sent_ms = Array.from({ length: MOST_PER_HOUR }, (_, index) => ready_ms - (40 - index) * 60_000)
    const last_ms = ready_ms - 31 * 60_000
    const flooded = { ...timing, sent_ms: [...sent_ms.slice(1), ready_ms - 1_000] }
    assert.equal(messageDueAt(flooded, ready_ms), ready_ms - 1_000 + DIGEST_GAP_MS)
    assert.equal(messageDueAt({ ...flooded, is_urgent: true }, ready_ms), ready_ms - 1_000 + DIGEST_GAP_MS)
    assert.equal(messageDueAt({ ...timing, sent_ms }, ready_ms), ready_ms, 'the pause is over')
    const later_ms = last_ms + 61 * 60_000
    assert.equal(messageDueAt({ ...timing, sent_ms }, later_ms), later_ms, 'an hour later nothing counts')
  })
})
