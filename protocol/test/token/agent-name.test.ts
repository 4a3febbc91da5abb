import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { TEXT_FORMATS } from '../../src/encoding/grammar.ts'
import {
  DEFAULT_TENANT,
  isTenantId,
  loggedAgent,
  plainAgent,
  scopedAgent,
  shownAgent,
  tenantOf,
} from '../../src/token/agent-name.ts'

const agentId = fc.stringMatching(/^[A-Za-z0-9._@+/-]{1,20}$/).filter(TEXT_FORMATS['agent-id'].check)
const tenantId = fc.oneof(
  fc.constant(DEFAULT_TENANT),
  fc.stringMatching(/^[a-z][a-z0-9-]{0,39}$/).filter(isTenantId),
)
/** Names with few letters, so that they are often equal. */
const few = fc.stringMatching(/^[ab-]{1,3}$/)
const fewTenants = fc.oneof(fc.constant(DEFAULT_TENANT), fc.stringMatching(/^[ab]{1,3}$/))

describe('the name of an agent', () => {
  test('parses back to its tenant and name', () => {
    fc.assert(
      fc.property(tenantId, agentId, (tenant_id, agent_id) => {
        const scoped = scopedAgent(tenant_id, agent_id)
        assert.equal(tenantOf(scoped), tenant_id)
        assert.equal(plainAgent(scoped), agent_id)
        assert.equal(shownAgent(scoped), `agent:${agent_id}`)
        assert.equal(loggedAgent(scoped).slice('agent:'.length), scoped)
      }),
    )
  })

  test('is unique to one agent of one tenant', () => {
    fc.assert(
      fc.property(fewTenants, few, fewTenants, few, (tenant, agent, other, another) => {
        const isSame = tenant === other && agent === another
        assert.equal(scopedAgent(tenant, agent) === scopedAgent(other, another), isSame)
      }),
      { numRuns: 2_000 },
    )
  })

  test('never equals a name that a caller can choose in the default tenant', () => {
    fc.assert(
      fc.property(tenantId, agentId, (tenant_id, agent_id) => {
        const isPlain = TEXT_FORMATS['agent-id'].check(scopedAgent(tenant_id, agent_id))
        assert.equal(isPlain, tenant_id === DEFAULT_TENANT)
      }),
    )
  })

  test('has no prefix in the default tenant', () => {
    assert.equal(scopedAgent(DEFAULT_TENANT, 'bot'), 'bot')
    assert.equal(scopedAgent('acme', 'bot'), 'acme:bot')
  })
})

describe('the id of a tenant', () => {
  test('has at most 40 lower-case letters, digits and hyphens, and starts with a letter', () => {
    for (const good of ['a', 'acme', 'acme-2', 'a'.repeat(40), DEFAULT_TENANT])
      assert.ok(isTenantId(good), good)
    for (const bad of ['', '2a', '-a', 'Acme', 'a:b', 'a b', 'a\n', 'ä', 'a'.repeat(41)])
      assert.ok(!isTenantId(bad), JSON.stringify(bad))
  })
})
