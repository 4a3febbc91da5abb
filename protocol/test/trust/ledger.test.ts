import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { instantMs } from '../../src/trust/instant.ts'
import { VERIFICATION_STANDS_MS } from '../../src/trust/leaves.ts'
import { ATrustLog } from './a-trust-log.ts'

const DAY_MS = 24 * 3_600_000

/** One verified person who vouches for an agent. */
function aVouchedAgent(): { log: ATrustLog; vouch_id: string } {
  const log = new ATrustLog()
  log.verify('ada')
  return { log, vouch_id: log.vouch('ada', 'agent:a', { weight: 500_000 }) }
}

describe('the trust ledger', () => {
  test('counts a vouch until its end, in the time of the log', () => {
    const log = new ATrustLog()
    log.verify('ada')
    const expires_at = new Date(Date.parse(log.now) + DAY_MS).toISOString()
    log.vouch('ada', 'agent:a', { expires_at })
    log.wait(DAY_MS - 10)
    assert.equal(log.flow('agent:a'), 800_000)
    log.wait(20)
    assert.equal(log.flow('agent:a'), 0)
  })

  test('follows changes of weight and end', () => {
    const { log, vouch_id } = aVouchedAgent()
    const expires_at = new Date(Date.parse(log.now) + DAY_MS).toISOString()
    log.change(vouch_id, 250_000, { expires_at })
    assert.equal(log.flow('agent:a'), 200_000)
    log.change(vouch_id, 1_000_000)
    log.wait(2 * DAY_MS)
    assert.equal(log.flow('agent:a'), 800_000, 'the later change has no end')
  })

  test('counts a verification for a year, then falls back to a lower level', () => {
    const log = new ATrustLog()
    log.verify('ada', 'L3')
    log.wait(DAY_MS)
    log.leaf('token.issued', { human_ref: 'ada', agent_id: 'agent:other', assurance_level: 'L2' })
    log.vouch('ada', 'agent:a')
    log.wait(VERIFICATION_STANDS_MS - DAY_MS)
    assert.equal(log.flow('agent:a'), 700_000)
    log.wait(DAY_MS)
    assert.equal(log.flow('agent:a'), 0)
  })

  test('treats a deleted template as the end of L3 only', () => {
    const { log } = aVouchedAgent()
    log.vouch('ada', 'agent:b')
    log.verify('ada', 'L2')
    log.leaf('registry.changed', { kind: 'biometric', human_ref: 'ada', removed: true })
    assert.equal(log.flow('agent:b'), 700_000)
  })

  test('treats a check that a provider withdrew as the end of its level, until the person is verified again', () => {
    const { log } = aVouchedAgent()
    log.vouch('ada', 'agent:b')
    for (const level of ['L2', 'L3'] as const) log.verify('ada', level)
    const before = log.flow('agent:b')
    assert.ok(before > 700_000)
    const change = { kind: 'external_check', human_ref: 'ada', document_digest: 'd' }
    log.leaf('registry.changed', change)
    assert.equal(log.flow('agent:b'), before)
    log.leaf('registry.changed', { ...change, withdraws: 'L3' })
    assert.equal(log.flow('agent:b'), 700_000)
    log.leaf('registry.changed', { ...change, withdraws: 'L2' })
    assert.equal(log.flow('agent:b'), 0)
    log.verify('ada', 'L3')
    assert.equal(log.flow('agent:b'), before)
  })

  test('replaces the base from verification with the one that an operator sets', () => {
    const { log } = aVouchedAgent()
    log.nameAnchor('ada', 0)
    assert.equal(log.flow('agent:a'), 0)
    log.nameAnchor('ada', 300_000)
    assert.equal(log.flow('agent:a'), 300_000)
    log.removeAnchor('ada')
    assert.equal(log.flow('agent:a'), 400_000)
  })

  test('ends all vouches from and for an erased person', () => {
    const { log } = aVouchedAgent()
    log.vouch('ada', 'ben')
    log.vouch('ben', 'agent:b')
    log.leaf('human.erased', { human_ref: 'ben' })
    assert.equal(log.flow('agent:b'), 0)
    assert.equal(log.flow('ben'), 0)
    assert.equal(log.flow('agent:a'), 400_000)
  })

  test('keeps out a person with base 0, even after an erasure, until an operator removes the base', () => {
    const log = new ATrustLog()
    const vouchAgain = () => {
      log.verify('ada', 'L2')
      log.vouch('ada', 'agent:a')
      return log.flow('agent:a')
    }
    assert.equal(vouchAgain(), 700_000)
    log.nameAnchor('ada', 0)
    log.leaf('human.erased', { human_ref: 'ada' })
    assert.equal(vouchAgain(), 0)
    log.leaf('human.erased', { human_ref: 'ada' })
    assert.equal(vouchAgain(), 0)
    log.removeAnchor('ada')
    assert.equal(log.flow('agent:a'), 700_000)
    log.nameAnchor('ada', 300_000)
    log.leaf('human.erased', { human_ref: 'ada' })
    assert.equal(vouchAgain(), 700_000, 'a base above 0 ends with the erasure')
  })

  test('keeps tenants apart', () => {
    const log = new ATrustLog()
    log.verify('ada', 'L3', 'acme')
    log.vouch('ada', 'agent:acme:a', { tenant_id: 'acme' })
    log.vouch('ada', 'agent:globex:a', { tenant_id: 'globex' })
    log.vouch('ada', 'agent:globex:a', { tenant_id: 'acme' })
    log.vouch('ada', 'agent:a', { tenant_id: 'acme' })
    log.verify('gus', 'L3', 'globex')
    log.vouch('ada', 'gus', { tenant_id: 'acme' })
    assert.equal(log.flow('agent:acme:a'), 800_000)
    for (const subject of ['agent:globex:a', 'agent:a', 'gus']) assert.equal(log.flow(subject), 0)
  })

  test('ignores leaves that break the rules', () => {
    const { log, vouch_id } = aVouchedAgent()
    const before = log.score('agent:a')
    log.vouch('ada', 'agent:a')
    log.vouch('ada', 'ada')
    log.vouch('ada', 'agent:b', { vouch_id })
    for (const weight of [0, 9_999, 1_000_001, -1, 0.5, Number.NaN]) log.vouch('ada', 'agent:b', { weight })
    log.vouch('ada', 'agent:b', { context: 'Not A Context' })
    log.vouch('ada', 'agent:b', { expires_at: 'tomorrow' })
    log.vouch('ada', 'agent:b', { expires_at: log.now })
    log.vouch('agent:a', 'agent:b')
    log.leaf('vouch.made', { vouch_id: 7, from: null, to: 'ben', weight: '1' })
    log.leaf('vouch.made', { tenant_id: 'default', from: 'ada', to: { human_ref: 'b', agent_id: 'agent:b' } })
    log.leaf('vouch.changed', { vouch_id: 'vch_unknown', weight: 1_000_000 })
    log.leaf('vouch.changed', { vouch_id, weight: 2_000_000 })
    log.leaf('vouch.withdrawn', { vouch_id: 'vch_unknown' })
    log.leaf('anchor.named', { human_ref: 'ben', tenant_id: 'default', base: 5_000_000 })
    log.leaf('anchor.removed', { human_ref: 'nobody', tenant_id: 'default' })
    log.leaf('action.rated', { agent_id: 'agent:a', rating: '__proto__' })
    log.leaf('action.rated', { agent_id: 7, rating: 'rejected' })
    log.leaf('human.erased', { human_ref: 'nobody' })
    log.leaf('constructor', {})
    assert.deepEqual(log.score('agent:a'), before)
    assert.equal(log.flow('agent:b'), 0)
  })

  test('continues after any leaf', () => {
    const type = fc.constantFrom(
      ...['vouch.made', 'vouch.changed', 'vouch.withdrawn', 'anchor.named', 'anchor.removed', 'action.rated'],
      ...['human.erased', 'session.begun', 'token.issued', 'registry.changed', '__proto__'],
    )
    const member = fc.constantFrom(
      ...['vouch_id', 'from', 'to', 'weight', 'tenant_id', 'human_ref', 'agent_id', 'base', 'rating'],
      ...['assurance_level', 'expires_at', 'context', 'kind', 'removed'],
    )
    const members = fc.dictionary(
      member,
      fc.oneof(fc.jsonValue(), fc.constantFrom('ada', 'default', 'L3', true)),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(type, members)), (leaves) => {
        const { log } = aVouchedAgent()
        for (const [kind, content] of leaves) log.leaf(kind, content)
        assert.equal(log.ledger.size, leaves.length + 2)
        log.score('agent:a')
      }),
      { numRuns: 300 },
    )
  })

  test('names the agents whose scores may have changed', () => {
    const log = new ATrustLog()
    log.verify('ada')
    log.vouch('ada', 'ben')
    const vouch_id = log.vouch('ben', 'agent:a')
    log.vouch('cleo', 'agent:b')
    assert.deepEqual(log.ledger.takeAffectedAgents().sort(), ['agent:a', 'agent:b'])
    assert.deepEqual(log.ledger.takeAffectedAgents(), [])
    log.rate('agent:b', 'rejected')
    assert.deepEqual(log.ledger.takeAffectedAgents(), ['agent:b'])
    log.verify('ada')
    assert.deepEqual(log.ledger.takeAffectedAgents(), [], 'an anchor who signs in again changes nothing')
    log.nameAnchor('ada', 500_000)
    assert.deepEqual(log.ledger.takeAffectedAgents(), ['agent:a'])
    log.withdraw(vouch_id)
    assert.deepEqual(log.ledger.takeAffectedAgents(), ['agent:a'])
    log.verify('ada', 'L2')
    assert.deepEqual(log.ledger.takeAffectedAgents(), [])
  })
})

test('an instant has the same number of milliseconds as a Date', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      assert.equal(instantMs(date.toISOString()), date.getTime())
    }),
  )
})
