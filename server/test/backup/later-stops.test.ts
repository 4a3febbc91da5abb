import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { continuityOf, nextOrigin } from '../../src/backup/continuity.ts'
import { laterStops, readEvent } from '../../src/backup/later-stops.ts'

const event = (log_index: number, type: string, data: object, tenant_id = 'default') => ({
  log_index,
  type,
  tenant_id,
  data: { ...data },
})

function stopsOf(...events: ReturnType<typeof event>[]) {
  const later = laterStops(10)
  for (const one of events) later.add(one)
  const { stops, by_hand } = later.end()
  return { commands: stops.map(({ command }) => command), by_hand }
}

describe('stops after a backup', () => {
  test('are those at or after the end of its log, in order', () => {
    const { commands } = stopsOf(
      event(12, 'agent.revoked', { agent_id: 'agent:trip-bot' }, 'acme'),
      event(9, 'token.revoked', { vat_jti: 'vat_root_before' }),
      event(10, 'token.revoked', { vat_jti: 'vat_root_after' }),
      event(11, 'action.completed', { vat_jti: 'vat_root_after' }),
    )
    assert.deepEqual(
      commands.map(({ kind, ...rest }) => [kind, { ...rest, reason: undefined }]),
      [
        ['revoke', { vat_jti: 'vat_root_after', reason: undefined, keeps_renewed: true }],
        ['revoke_all', { owner: { agent_id: 'acme:trip-bot' }, reason: undefined }],
      ],
    )
  })

  test('exclude those that were resumed or accepted again', () => {
    const { commands } = stopsOf(
      event(10, 'token.suspended', { vat_jti: 'a', suspended_by: 'person' }),
      event(11, 'token.resumed', { vat_jti: 'a' }),
      event(12, 'agent.suspended', { agent_id: 'agent:x', suspended_by: 'operator' }),
      event(13, 'agent.resumed', { agent_id: 'agent:y' }),
      event(14, 'human.refused', { human_ref: 'sha256:1' }),
      event(15, 'human.accepted', { human_ref: 'sha256:1' }),
    )
    assert.deepEqual(
      commands.map(({ kind }) => kind),
      ['suspend'],
    )
  })

  test('follow the history that an earlier restore continued, not the one that it replaced', () => {
    const suspended = { suspended_by: 'operator' }
    const { commands, by_hand } = stopsOf(
      event(10, 'agent.suspended', { agent_id: 'agent:kept', ...suspended }),
      event(11, 'agent.suspended', { agent_id: 'agent:resumed', ...suspended }),
      event(12, 'agent.resumed', { agent_id: 'agent:kept' }),
      event(13, 'key.rotated', {}),
      event(12, 'deployment.restored', {}),
      event(13, 'agent.suspended', { agent_id: 'agent:again', ...suspended }),
      event(14, 'agent.resumed', { agent_id: 'agent:resumed' }),
    )
    assert.deepEqual(
      commands.map((command) => 'target' in command && command.target),
      [{ agent_id: 'kept' }, { agent_id: 'again' }],
    )
    assert.deepEqual(by_hand, {})
  })

  test('do not include what was stopped before a restore and resumed after it', () => {
    const { commands } = stopsOf(
      event(12, 'token.suspended', { vat_jti: 'a', suspended_by: 'operator' }),
      event(14, 'token.suspended', { vat_jti: 'b', suspended_by: 'operator' }),
      event(11, 'deployment.restored', {}),
      event(12, 'token.suspended', { vat_jti: 'a', suspended_by: 'operator' }),
      event(13, 'token.resumed', { vat_jti: 'a' }),
    )
    assert.deepEqual(commands, [])
  })

  test('stop the tokens that have an event, but not the tokens that those renew', () => {
    const { commands } = stopsOf(
      event(10, 'token.suspended', { vat_jti: 'vat_renewal', suspended_by: 'person' }),
      event(11, 'token.suspended', { vat_jti: 'vat_renewed', suspended_by: 'person' }),
      event(12, 'token.resumed', { vat_jti: 'vat_renewed' }),
    )
    assert.deepEqual(
      commands.map((command) => 'keeps_renewed' in command && command.keeps_renewed),
      [true],
    )
  })

  test('withdraw a key from the earliest time that was named, in any order', () => {
    const withdrawals = ['2026-03-02', '2026-03-01', '2026-03-03'].map((day, index) =>
      event(10 + index, 'key.withdrawn', { kid: 'stolen', from: `${day}T00:00:00.000Z` }),
    )
    const { commands } = stopsOf(
      ...withdrawals,
      event(13, 'key.withdrawn', { kid: 'other', from: '2026-03-04' }),
    )
    assert.deepEqual(
      commands.map((command) => 'from' in command && command.from),
      ['2026-03-01T00:00:00.000Z', '2026-03-04'],
    )
  })

  test('list what must be repeated by hand', () => {
    const { commands, by_hand } = stopsOf(
      event(10, 'registry.changed', { kind: 'api_key', removed: true }),
      event(11, 'registry.changed', { kind: 'api_key', removed: false }),
      event(12, 'vouch.withdrawn', { vouch_id: 'vch_1' }),
      event(13, 'token.revoked', {}),
      event(14, 'registry.changed', { kind: 'tenant', removed: false }),
      event(15, 'agent.registered', { agent_id: 'agent:bot' }),
      event(16, 'anchor.named', { human_ref: 'sha256:1', base: 0 }),
      event(17, 'vouch.changed', { vouch_id: 'vch_1', weight: 0.01 }),
    )
    assert.deepEqual(
      [commands, by_hand],
      [
        [],
        {
          'api_key removed': 1,
          'api_key created or rotated': 1,
          'vouch.withdrawn': 1,
          'token.revoked': 1,
          'tenant created or changed': 1,
          'agent.registered': 1,
          'anchor.named': 1,
          'vouch.changed': 1,
        },
      ],
    )
  })

  test('are read only from JSON lines with complete events', () => {
    assert.equal(readEvent('{"type":"token.revoked"}'), undefined)
    assert.equal(readEvent('null'), undefined)
    assert.equal(readEvent('not JSON'), undefined)
    const line = event(1, 'token.revoked', { vat_jti: 'a' })
    assert.deepEqual(readEvent(JSON.stringify({ ...line, id: 'evt_1' })), line)
  })
})

describe('a restored log', () => {
  test('continues only if the newest checkpoint is known and covered', () => {
    const backup = { log_size: 10, signed_size: 9 }
    const ended = { continues: false, newest_size: undefined }
    assert.deepEqual(continuityOf(backup, []), ended)
    assert.deepEqual(continuityOf(backup, [{ size: 10 }]), { continues: true, newest_size: undefined })
    assert.deepEqual(continuityOf(backup, [{ size: 9 }]), { continues: true, newest_size: undefined })
    assert.deepEqual(continuityOf(backup, [{ size: 8 }]), ended, 'the backup itself holds a newer one')
    assert.deepEqual(continuityOf(backup, [{ size: 3 }, { size: 11 }]), { continues: false, newest_size: 11 })
  })

  test('that ends is followed by a log with another name', () => {
    assert.equal(nextOrigin('deputy.example.com/log'), 'deputy.example.com/log/restored/1')
    assert.equal(nextOrigin('deputy.example.com/log/restored/9'), 'deputy.example.com/log/restored/10')
  })
})
