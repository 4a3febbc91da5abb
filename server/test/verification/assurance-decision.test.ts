import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assuranceDecision } from '../../src/verification/external/oidc4ida.ts'

const NOW_MS = Date.parse('2026-11-16T12:00:00Z')
const RULE = { trust_frameworks: ['de_aml'], claims: ['given_name', 'birthdate'], max_age_days: 365 }
const PERSON = { given_name: 'Wilhelmina', birthdate: '1980-04-01' }
const VERIFICATION = { trust_framework: 'de_aml', time: '2026-01-01T00:00:00Z' }

function decided(verified_claims: unknown, more: { nonce?: string; rule?: Partial<typeof RULE> } = {}) {
  const { nonce = 'n-1', rule = {} } = more
  const id_token = { iss: 'https://op.example', sub: 'person', iat: 0, exp: 1, nonce }
  return assuranceDecision({ id_token, userinfo: { verified_claims } }, { ...RULE, ...rule }, NOW_MS)
}

describe('verified claims', () => {
  test('pass with a framework, the claims and an age that the rule accepts', () => {
    const { status, checks, reasons } = decided({ verification: VERIFICATION, claims: PERSON })
    assert.deepEqual({ status, checks, reasons }, { status: 'pass', checks: { database: true }, reasons: [] })
    const evidence = [{ type: 'document' }]
    const shown = decided([null, 7, { verification: { ...VERIFICATION, evidence }, claims: PERSON }])
    assert.deepEqual(shown.checks, { document: true })
  })

  test('fail for another framework, a missing claim, or an age that cannot be checked', () => {
    const failing: readonly (readonly [unknown, string])[] = [
      [undefined, 'unsupported'],
      ['de_aml', 'unsupported'],
      [{ verification: { ...VERIFICATION, trust_framework: ['de_aml'] }, claims: PERSON }, 'unsupported'],
      [{ verification: { ...VERIFICATION, trust_framework: 'eidas' }, claims: PERSON }, 'unsupported'],
      [{ claims: PERSON }, 'unsupported'],
      [{ verification: VERIFICATION, claims: { ...PERSON, birthdate: '' } }, 'data_mismatch'],
      [{ verification: VERIFICATION, claims: { given_name: 'Wilhelmina' } }, 'data_mismatch'],
      [{ verification: VERIFICATION }, 'data_mismatch'],
      [
        { verification: { ...VERIFICATION, time: '2025-11-15T00:00:00Z' }, claims: PERSON },
        'document_expired',
      ],
      [
        { verification: { ...VERIFICATION, time: '2027-01-01T00:00:00Z' }, claims: PERSON },
        'document_expired',
      ],
      [{ verification: { ...VERIFICATION, time: 'soon' }, claims: PERSON }, 'document_expired'],
      [{ verification: { ...VERIFICATION, time: 1_790_000_000 }, claims: PERSON }, 'document_expired'],
      [{ verification: { trust_framework: 'de_aml' }, claims: PERSON }, 'document_expired'],
    ]
    for (const [claims, reason] of failing) {
      const { status, reasons } = decided(claims)
      assert.deepEqual([status, ...reasons], ['fail', reason], JSON.stringify(claims))
    }
  })

  test('of two sets are not combined', () => {
    const first = { verification: VERIFICATION, claims: { given_name: 'Wilhelmina' } }
    const second = { verification: VERIFICATION, claims: { birthdate: '1980-04-01' } }
    assert.equal(decided([first, second]).status, 'fail')
  })

  test('leave a digest that differs for each sign-in, so that names cannot be guessed from it', () => {
    const claims = { verification: VERIFICATION, claims: PERSON }
    assert.notEqual(decided(claims).raw_hash, decided(claims, { nonce: 'n-2' }).raw_hash)
    assert.doesNotMatch(JSON.stringify(decided(claims)), /Wilhelmina|1980/)
  })

  test('of any age pass if the rule allows it', () => {
    const old = { verification: { trust_framework: 'de_aml' }, claims: PERSON }
    assert.equal(decided(old, { rule: { max_age_days: 0 } }).status, 'pass')
  })
})
