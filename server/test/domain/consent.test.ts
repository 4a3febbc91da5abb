import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Constraints } from '@deputize/protocol'
import { beyondConsent } from '../../src/domain/tokens/consent.ts'

const ANN = `sha256:${'a'.repeat(64)}`
const BEN = `sha256:${'b'.repeat(64)}`

const beyond = (shown: Constraints, asked: Constraints) =>
  beyondConsent(
    { constraints: shown },
    { agent_id: 'bot', resources: ['shop:orders'], actions: ['buy'], constraints: asked },
  )

describe('a token that a person confirmed', () => {
  test('keeps the hours, the approvers and the calendar that the page showed', () => {
    const active_hours = { time_zone: 'UTC', from: '09:00', to: '17:00' }
    assert.deepEqual(beyond({ active_hours }, { active_hours: { ...active_hours, to: '23:00' } }), [
      'active_hours',
    ])
    const people = { require_approval: { approvers: { count: 1, people: [ANN, BEN] } } }
    const role = { require_approval: { approvers: { count: 1, role: 'reviewer' as const } } }
    assert.deepEqual(beyond(people, role), ['require_approval.approvers'])
    assert.deepEqual(beyond(role, people), ['require_approval.approvers'])
    const per_day = { max_spend_usd_per: { day: 10 } }
    assert.deepEqual(beyond(per_day, { max_spend_usd_per: { day: 10, time_zone: 'Asia/Tokyo' } }), [
      'max_spend_usd_per: time_zone',
    ])
  })

  test('may repeat them, narrow them and add more', () => {
    const active_hours = { time_zone: 'UTC', from: '09:00', to: '17:00' }
    const people = { require_approval: { approvers: { count: 1, people: [ANN, BEN] } } }
    assert.deepEqual(
      beyond({ active_hours }, { active_hours: { to: '17:00', from: '09:00', time_zone: 'UTC' } }),
      [],
    )
    assert.deepEqual(beyond(people, { require_approval: { approvers: { count: 1, people: [BEN] } } }), [])
    assert.deepEqual(
      beyond({ max_spend_usd_per: { day: 10 } }, { max_spend_usd_per: { day: 5, time_zone: 'UTC' } }),
      [],
    )
    assert.deepEqual(beyond({}, { active_hours, ...people }), [])
  })
})
