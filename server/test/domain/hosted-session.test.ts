import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  canOpen,
  type HostedCapture,
  type HostedFacts,
  hostedState,
  MAX_OPENINGS,
  mayCollectAgain,
  openingRefusal,
  openingsLeft,
} from '../../src/domain/verification/hosted-session.ts'

const NOW = 1_000_000

function facts(capture?: Partial<HostedCapture>, changes: Partial<HostedFacts> = {}): HostedFacts {
  const whole = { state: 'open', decision: undefined, opening: 1, is_moved: false, ...capture } as const
  return {
    expires_at_ms: NOW + 1,
    is_cancelled: false,
    capture: capture === undefined ? undefined : whole,
    ...changes,
  }
}

describe('the state of a prepared session', () => {
  test('is waiting until a device opens it, and expired if none does in time', () => {
    assert.equal(hostedState(facts(), NOW), 'waiting')
    assert.equal(hostedState(facts(), NOW + 1), 'expired')
  })

  test('is waiting again after a capture expires, while openings and time are left', () => {
    assert.equal(hostedState(facts({ state: 'expired' }), NOW), 'waiting')
    assert.equal(hostedState(facts({ state: 'expired' }), NOW + 1), 'expired')
    assert.equal(hostedState(facts({ state: 'expired', opening: MAX_OPENINGS }), NOW), 'expired')
  })

  test('stays open past its own end while a capture is in progress', () => {
    assert.equal(hostedState(facts({}), NOW + 1), 'open')
  })

  test('can become cancelled at any time except after the person is verified', () => {
    const cancelled = { is_cancelled: true }
    assert.equal(hostedState(facts(undefined, cancelled), NOW), 'cancelled')
    assert.equal(hostedState(facts({}, cancelled), NOW), 'cancelled')
    assert.equal(hostedState(facts({ state: 'judged', decision: 'fail' }, cancelled), NOW), 'cancelled')
    assert.equal(hostedState(facts({ state: 'judged', decision: 'pass' }, cancelled), NOW), 'judged')
  })
})

describe('a prepared session', () => {
  test('can be opened again after a capture that did not pass, but never after one that did', () => {
    for (const decision of ['retry', 'fail', 'review'] as const)
      assert.equal(canOpen(facts({ state: 'judged', decision }), NOW), true, decision)
    assert.equal(canOpen(facts({ state: 'judged', decision: 'pass' }), NOW), false)
    assert.equal(canOpen(facts({ state: 'judged', decision: 'fail' }), NOW + 1), false)
    assert.equal(canOpen(facts({ state: 'judged', decision: 'fail', opening: MAX_OPENINGS }), NOW), false)
  })

  test('that is open belongs to its device, but its requester may still move it', () => {
    assert.equal(openingRefusal(facts({}), 'client_token', NOW), 'session_taken')
    assert.equal(openingRefusal(facts({}), 'transfer_code', NOW), undefined)
    assert.equal(openingRefusal(facts({}), 'nonce', NOW), undefined)
    assert.equal(openingRefusal(facts({ is_moved: true }), 'transfer_code', NOW), 'session_taken')
    assert.equal(openingRefusal(facts({ is_moved: true }), 'nonce', NOW), undefined)
  })

  test("that is over can't be opened", () => {
    const over = [
      facts({ state: 'judged', decision: 'pass' }),
      facts(undefined, { is_cancelled: true }),
      facts(undefined, { expires_at_ms: NOW }),
      facts({ opening: MAX_OPENINGS }),
    ]
    for (const one of over) assert.equal(openingRefusal(one, 'nonce', NOW), 'session_closed')
  })

  test('counts its openings', () => {
    assert.equal(openingsLeft({ capture: undefined }), MAX_OPENINGS)
    assert.equal(openingsLeft(facts({ opening: 2 })), MAX_OPENINGS - 2)
  })

  test('returns its token again for less than a minute', () => {
    assert.equal(mayCollectAgain(NOW, NOW + 59_999), true)
    assert.equal(mayCollectAgain(NOW, NOW + 60_000), false)
  })
})
