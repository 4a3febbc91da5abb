import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Claims } from '../src/generated/operations.ts'
import { isDecidableOffline } from '../src/guard/decide-offline.ts'

const isDecided = (svc_constraints: Record<string, unknown>) =>
  isDecidableOffline({ svc_constraints } as unknown as Claims) // only what the decision reads

describe('a decision without the service', () => {
  test('is never made about limits that only the service can check', () => {
    for (const limits of [
      { arguments: { read: { '/n': { max: 1 } } } },
      { max_spend_usd_per: { day: 1 } },
      { max_spend_usd: 1 },
      { active_hours: { time_zone: 'UTC', from: '09:00', to: '17:00' } },
      { limit_of_a_later_version: 1 },
    ])
      assert.equal(isDecided(limits), false, JSON.stringify(limits))
    assert.equal(isDecided({ expires_at: '2027-01-01T00:00:00Z', x_team: 'blue' }), true)
  })
})
