import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertOcsf } from '@deputize/testing/ocsf-schema.ts'
import { OCSF_VERSION, type OcsfSource, ocsfRow } from '../src/events/ocsf.ts'

const ORIGIN = { issuer: 'https://deputy.example', version: '0.1.0' }
const HUMAN = `sha256:${'a'.repeat(64)}`
const NAMES = { human_ref: HUMAN, agent_id: 'agent:shopper', token: `sha256:${'b'.repeat(64)}` }

function anEvent(type: string, data: Record<string, unknown> = {}): OcsfSource {
  return {
    id: 'evt_7',
    type,
    log_index: 7,
    occurred_at: '2027-01-01T00:00:00.000Z',
    tenant_id: 'default',
    provenance_ref: 'prov_1',
    data: { ...NAMES, ...data },
  }
}

const ASK = { action: 'read', resource: 'calendar:events', aar_id: 'aar_1' }
const SCOPE = { scope: { actions: ['read'], resources: ['calendar:*'] }, assurance_level: 'L1' }

const EXPECTED: readonly (readonly [event: OcsfSource, type_uid: number, status_id: number])[] = [
  [anEvent('action.recorded', { ...ASK, result: 'success' }), 600302, 1],
  [anEvent('action.recorded', { ...ASK, result: 'error' }), 600302, 2],
  [anEvent('action.recorded', { ...ASK, result: 'partial' }), 600302, 99],
  [anEvent('action.authorized', { ...ASK, action: 'buy' }), 600301, 1],
  [anEvent('action.authorized', { ...ASK, action: 'write' }), 600303, 1],
  [anEvent('action.authorized', { ...ASK, action: 'delete' }), 600304, 1],
  [anEvent('action.authorized', { ...ASK, action: 'juggle' }), 600399, 1],
  [anEvent('action.denied', { ...ASK, reasons: ['token_revoked', 'budget_exceeded'] }), 600302, 2],
  [anEvent('action.rated', { aar_id: 'aar_1', rating: 'rejected' }), 600399, 1],
  [anEvent('approval.decided', { approval_id: 'apr_1', decision: 'denied' }), 600399, 2],
  [anEvent('token.issued', { ...SCOPE, expires_at_s: 1_798_765_200 }), 300301, 1],
  [anEvent('token.delegated', SCOPE), 300301, 1],
  [anEvent('token.revoked'), 300404, 1],
  [anEvent('token.suspended'), 300412, 1],
  [anEvent('agent.resumed'), 300413, 1],
  [anEvent('human.revoked'), 300404, 1],
  [anEvent('agent.registered'), 300401, 1],
  [anEvent('key.rotated', { kid: 'k1' }), 300403, 1],
  [anEvent('registry.changed', { kind: 'api_key', entry_ref: 'sha256:00', removed: false }), 300403, 1],
  [anEvent('registry.changed', { kind: 'api_key', entry_ref: 'sha256:00', removed: true }), 300404, 1],
  [anEvent('session.begun'), 300201, 1],
  [anEvent('session.ended'), 300202, 1],
  [anEvent('something.new'), 300403, 1],
]

describe('events as OCSF rows', () => {
  for (const [event, type_uid, status_id] of EXPECTED)
    test(`${event.type} ${event.data.action ?? ''} becomes ${type_uid} and has what its class requires`, () => {
      const row = ocsfRow(event, ORIGIN)
      assertOcsf(row)
      assert.deepEqual([row.type_uid, row.status_id], [type_uid, status_id])
    })

  test('name the person, the agent, the token and the reason in the same place in every class', () => {
    for (const type of ['action.denied', 'token.issued', 'token.revoked', 'session.begun']) {
      const row = ocsfRow(anEvent(type, { reasons: ['outside_hours', 'rate_limit'] }), ORIGIN)
      const actor = row.actor as Record<string, Record<string, string>>
      assert.deepEqual(
        [actor.user?.uid, actor.app_uid, actor.session?.uid, row.status_code, row.status_detail],
        [HUMAN, NAMES.agent_id, NAMES.token, 'outside_hours', 'outside_hours, rate_limit'],
      )
    }
  })

  test('have what their class requires even if the event names nobody', () => {
    for (const type of ['action.denied', 'token.issued', 'token.revoked', 'session.begun', 'access.changed'])
      assertOcsf(ocsfRow({ ...anEvent(type), data: {} }, ORIGIN))
  })

  test('name the entity that changed by its own ID', () => {
    const entities: [type: string, data: Record<string, unknown>, uid: string][] = [
      ['webhook.disabled', { webhook_id: 'whk_1' }, 'whk_1'],
      ['registry.changed', { kind: 'api_key', entry_ref: 'sha256:00' }, 'sha256:00'],
      ['anchor.named', { human_ref: HUMAN }, HUMAN],
      ['alert.fired', { agent_id: NAMES.agent_id, alert_id: 'alt_1' }, 'alt_1'],
    ]
    for (const [type, data, uid] of entities)
      assert.equal((ocsfRow({ ...anEvent(type), data }, ORIGIN).entity as { uid: string }).uid, uid)
  })

  test('are more severe the more of a budget is spent, and when an action spent more than authorized', () => {
    const severity = (type: string, data: Record<string, unknown> = {}) =>
      ocsfRow(anEvent(type, data), ORIGIN).severity
    assert.deepEqual(
      [severity('budget.threshold', { percent: 80 }), severity('budget.exhausted', { percent: 100 })],
      ['Low', 'Medium'],
    )
    assert.deepEqual(
      [severity('action.completed', ASK), severity('action.completed', { ...ASK, exceeded: true })],
      ['Informational', 'Medium'],
    )
  })

  test('contain the log index, so that a row can be proved', () => {
    const { metadata } = ocsfRow(anEvent('token.revoked'), ORIGIN)
    assert.deepEqual(metadata, {
      version: OCSF_VERSION,
      product: { name: 'Deputy', vendor_name: 'Deputy', version: '0.1.0' },
      uid: 'evt_7',
      event_code: 'token.revoked',
      sequence: 7,
      original_time: '2027-01-01T00:00:00.000Z',
      tenant_uid: 'default',
      log_name: 'transparency log',
      correlation_uid: 'prov_1',
    })
  })
})
