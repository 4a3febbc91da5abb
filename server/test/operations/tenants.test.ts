import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  AuthorityError,
  type DownloadAnswer,
  decodeCompact,
  type RevocationEntry,
  tokenRef,
} from '@deputize/protocol'
import { checkReceipt, verifyProofPack } from '@deputize/protocol/verifier'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { type Caller, LOCAL_CALLER } from '../../src/access/caller.ts'
import { aDeveloper, aHuman, anAuditor, anOperator, aResourceServer, callerOf } from '../some-callers.ts'

const SCOPE = { resources: ['calendar:events'], actions: ['read', 'write', 'delegate'] }
const READ = { action: 'read', resource: 'calendar:events' }
const SENDING = { require_approval: { actions: ['write'] } }

type CallAs = ReturnType<typeof callerOf>

/** A service with the same agent and person in three tenants. */
async function threeTenants(scope: TestScope) {
  const service = await aTestApp(scope)
  const ours = await aLife(callerOf(service, LOCAL_CALLER))
  const acmes = await aLife(callerOf(service, aDeveloper('acme')))
  const umbrellas = await aLife(callerOf(service, aDeveloper('umbrella')))
  return { service, ours, acmes, umbrellas }
}

/** A token with entries in every list. */
async function aLife(call: CallAs) {
  const { jti, claims, compact_jwt } = await call('issueL1', {
    body: { developer_email: 'dev@example.com', agent_id: 'calendar-bot', ...SCOPE, constraints: SENDING },
  })
  const below = await call('delegate', { body: { vat_jti: jti, agent_id: 'sub-bot' } })
  const recorded = await call('recordAction', { body: { vat_jti: jti, ...READ, result: 'success' } })
  await call('recordAction', { body: { vat_jti: below.jti, ...READ, result: 'success' } })
  const denied = await call('authorize', { body: { vat_jti: jti, ...READ, action: 'delete' } })
  const asked = await call('authorize', { body: { vat_jti: jti, ...READ, action: 'write' } })
  assert.ok(
    recorded.aar_id !== undefined && denied.denial_id !== undefined && asked.approval_id !== undefined,
  )
  await call('approve', { params: { id: asked.approval_id }, body: {} })
  const { aar_id } = recorded
  const { denial_id } = denied
  const { approval_id } = asked
  return { jti, claims, compact_jwt, below, aar_id, denial_id, approval_id, human_ref: claims.svc_human_ref }
}

type Life = Awaited<ReturnType<typeof aLife>>

/** A summary of what the lists show a caller. */
async function seen(
  service: TestApp,
  caller: Parameters<typeof callerOf>[1],
  query: { human_ref?: string } = {},
) {
  const call = callerOf(service, caller)
  return {
    tokens: (await call('listTokens', { query })).data.map(({ jti }) => jti),
    records: (await call('listRecords', { query })).data.length,
    denials: (await call('listDenials', { query })).data.map(({ denial_id }) => denial_id),
    approvals: (await call('listApprovals', { query })).data.map(({ approval_id }) => approval_id),
    workflows: (await call('listWorkflows', { query })).data.map(({ provenance_ref }) => provenance_ref),
    habits: (await call('listHabits', { query })).data.map(({ human_ref }) => human_ref),
  }
}

function wholeOf({ below, jti, denial_id, approval_id, claims, human_ref }: Life) {
  return {
    tokens: [below.jti, jti],
    records: 2,
    denials: [denial_id],
    approvals: [approval_id],
    workflows: [claims.svc_provenance_ref],
    habits: [human_ref],
  }
}

const NOTHING = { tokens: [], records: 0, denials: [], approvals: [], workflows: [], habits: [] }

async function textOf({ chunks }: DownloadAnswer): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split('\n')
}

/** The part of the revocation feed that a caller can read. */
async function revocations(service: TestApp, caller: Caller) {
  const { jwt } = await callerOf(service, caller)('listRevocations')
  const { payload } = decodeCompact(jwt)
  return payload as {
    since: number
    until: number
    has_more: boolean
    tenant_id?: string
    entries: RevocationEntry[]
  } // the signed statement, whose members this test asserts
}

function isRefusal(code: string) {
  return (error: unknown) => error instanceof AuthorityError && error.code === code
}

describe('a tenant', () => {
  test('is named in the claims of its tokens, including delegated, renewed and exchanged ones', async (context) => {
    const { service, ours, acmes } = await threeTenants(context)
    const call = callerOf(service, aDeveloper('acme'))
    const { claims: renewed } = await call('renewToken', { body: { vat_jti: acmes.jti, expires_in: 60 } })
    const { access_token } = await call('exchangeToken', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: acmes.compact_jwt,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      },
    })
    for (const claims of [acmes.claims, acmes.below.claims, renewed, decodeCompact(access_token).payload])
      assert.equal(claims.svc_tenant, 'acme')
    assert.equal(decodeCompact(access_token).payload.sub, 'agent:calendar-bot')
    assert.equal((await call('verifyToken', { body: { compact_jwt: access_token } })).valid, true)
    for (const { claims } of [ours, ours.below]) assert.ok(!('svc_tenant' in claims))
  })

  test('has its own refs for people, while those of the default tenant are unchanged', async (context) => {
    const { service, ours, acmes, umbrellas } = await threeTenants(context)
    assert.equal(ours.human_ref, service.context.keys.digest('human', 'email|dev@example.com'))
    assert.equal(new Set([ours, acmes, umbrellas].map(({ human_ref }) => human_ref)).size, 3)
  })

  test('sees everything of its own in every list, and nothing else', async (context) => {
    const { service, ours, acmes, umbrellas } = await threeTenants(context)
    assert.deepEqual(await seen(service, anAuditor('acme')), wholeOf(acmes))
    assert.deepEqual(await seen(service, anAuditor('umbrella')), wholeOf(umbrellas))
    assert.deepEqual(await seen(service, anAuditor('default')), wholeOf(ours))
    assert.deepEqual(await seen(service, anAuditor('nobody')), NOTHING)
    assert.equal((await seen(service, LOCAL_CALLER)).tokens.length, 6)
    const { human_ref } = umbrellas
    assert.deepEqual(await seen(service, anAuditor('acme'), { human_ref }), NOTHING)
    assert.deepEqual(await seen(service, anAuditor('default'), { human_ref }), NOTHING)
  })

  test('has its own agents, profiles and ranking, even if names are equal', async (context) => {
    const { service, acmes } = await threeTenants(context)
    const [acme, local] = [aDeveloper('acme'), LOCAL_CALLER].map((caller) => callerOf(service, caller))
    assert.ok(acme !== undefined && local !== undefined)
    await acme('registerAgent', { body: { agent_id: 'calendar-bot', display_name: 'Theirs' } })
    await acme('updateAgent', { params: { agent_id: 'sub-bot' }, body: { owner: 'them' } })
    await acme('registerAgent', { body: { agent_id: 'only-theirs' } })
    await acme('rateRecord', { params: { id: acmes.aar_id }, body: { rating: 'rejected' } })
    const params = { agent_id: 'calendar-bot' }
    assert.equal((await acme('getAgent', { params })).display_name, 'Theirs')
    assert.equal((await local('getAgent', { params })).display_name, undefined)
    assert.equal((await acme('getReputation', { params })).ratings.rejected, 1)
    assert.equal((await local('getReputation', { params })).ratings.rejected, 0)
    assert.equal((await acme('getReputationHistory', { params })).data[0]?.ratings.rejected, 1)
    assert.equal((await local('getReputationHistory', { params })).data[0]?.ratings.rejected, 0)
    const names = async (call: CallAs) => (await call('listAgents')).data.map(({ agent_id }) => agent_id)
    assert.deepEqual(await names(acme), ['agent:only-theirs', 'agent:sub-bot', 'agent:calendar-bot'])
    assert.deepEqual(await names(callerOf(service, anAuditor('default'))), [
      'agent:sub-bot',
      'agent:calendar-bot',
    ])
    const ranked = (await acme('rankAgents')).data.map(({ agent_id }) => agent_id)
    assert.deepEqual(ranked, ['agent:sub-bot', 'agent:calendar-bot'])
    const unknown = { params: { agent_id: 'only-theirs' } }
    for (const id of ['getAgent', 'getReputation', 'getReputationHistory'] as const)
      await assert.rejects(local(id, unknown), isRefusal('agent_unknown'), id)
    for (const id of ['updateAgent', 'suspendAgent'] as const)
      await assert.rejects(local(id, { ...unknown, body: {} }), isRefusal('agent_unknown'), id)
    await assert.rejects(local('revokeAgent', { body: unknown.params }), isRefusal('agent_unknown'))
  })

  test('revokes its own agent but not its namesake elsewhere, and the feed names the tenant', async (context) => {
    const { service, ours, acmes, umbrellas } = await threeTenants(context)
    const acme = callerOf(service, aDeveloper('acme'))
    const suspended = await acme('suspendAgent', { params: { agent_id: 'calendar-bot' }, body: {} })
    const revoked = await acme('revokeAgent', { body: { agent_id: 'sub-bot' } })
    assert.deepEqual([suspended.agent_id, revoked.agent_id], ['agent:calendar-bot', 'agent:sub-bot'])
    const status = async ({ jti }: { jti: string }) => (await acme('getToken', { params: { jti } })).status
    assert.deepEqual([await status(acmes), await status(acmes.below)], ['suspended', 'revoked'])
    for (const life of [ours, umbrellas])
      assert.deepEqual([await status(life), await status(life.below)], ['live', 'live'])
    const preview = await acme('previewDelegation', {
      body: { vat_jti: umbrellas.jti, agent_id: 'calendar-bot' },
    })
    assert.deepEqual(preview.reasons, [])
    await callerOf(service, LOCAL_CALLER)('suspendAgent', { params: { agent_id: 'sub-bot' }, body: {} })
    const { entries } = await revocations(service, LOCAL_CALLER)
    assert.deepEqual(
      entries.map(({ agent_id, tenant_id }) => [agent_id, tenant_id]),
      [
        ['agent:calendar-bot', 'acme'],
        ['agent:sub-bot', 'acme'],
        ['agent:sub-bot', undefined],
      ],
    )
  })

  test('reads of agents and people in the revocation feed its own only, and of tokens all', async (context) => {
    const { service, ours, acmes, umbrellas } = await threeTenants(context)
    for (const [caller, life] of [
      [LOCAL_CALLER, ours],
      [aDeveloper('acme'), acmes],
      [aDeveloper('umbrella'), umbrellas],
    ] as const) {
      const call = callerOf(service, caller)
      await call('revokeAgent', { body: { agent_id: 'sub-bot' } })
      await call('revokeToken', { body: { vat_jti: life.jti } })
      await call('revokeHuman', { body: { human_ref: life.human_ref } })
    }
    const tokens = [ours, acmes, umbrellas].map(({ jti }) => tokenRef(jti))
    const ownOf = async (caller: Caller) => {
      const { entries, since, until, has_more, tenant_id } = await revocations(service, caller)
      assert.deepEqual([since, until, has_more], [0, await service.context.events.feed.size(), false])
      assert.deepEqual(
        entries.flatMap(({ token }) => token ?? []),
        tokens,
      )
      const named = entries.filter(({ token }) => token === undefined)
      return { tenant_id, named: named.map(({ agent_id, human_ref }) => agent_id ?? human_ref) }
    }
    const of = (tenant_id: string, life: Life) => ({ tenant_id, named: ['agent:sub-bot', life.human_ref] })
    for (const aCaller of [aDeveloper, anAuditor, anOperator, aResourceServer]) {
      assert.deepEqual(await ownOf(aCaller('acme')), of('acme', acmes))
      assert.deepEqual(await ownOf(aCaller('umbrella')), of('umbrella', umbrellas))
    }
    for (const aCaller of [aDeveloper, aResourceServer])
      assert.deepEqual(await ownOf(aCaller('default')), of('default', ours))
    const all = [ours, acmes, umbrellas].flatMap(({ human_ref }) => ['agent:sub-bot', human_ref])
    for (const caller of [LOCAL_CALLER, anOperator('default'), anAuditor('default')])
      assert.deepEqual(await ownOf(caller), { tenant_id: undefined, named: all })
  })

  test('ends a habit only of its own agent', async (context) => {
    const { service, acmes } = await threeTenants(context)
    const body = {
      agent_id: 'calendar-bot',
      human_ref: acmes.human_ref,
      action: 'write',
      resource: READ.resource,
    }
    assert.deepEqual(await callerOf(service, LOCAL_CALLER)('endHabit', { body }), { ended: false })
    assert.deepEqual(await callerOf(service, aDeveloper('acme'))('endHabit', { body }), { ended: true })
  })

  test('never sees the internal form of a name in any answer or export', async (context) => {
    const { service, acmes } = await threeTenants(context)
    const call = callerOf(service, aDeveloper('acme'))
    const { jti, aar_id, denial_id, approval_id, human_ref, compact_jwt, below } = acmes
    const ref = { ref: acmes.claims.svc_provenance_ref }
    const exported = async (format: 'ndjson' | 'csv' | 'prov-json') =>
      textOf(await call('exportWorkflow', { params: ref, query: { format } }))
    const answers = {
      token: await call('getToken', { params: { jti } }),
      chain: await call('getTokenChain', { params: { jti: below.jti } }),
      descendants: await call('listDescendants', { params: { jti } }),
      delegation: await call('previewDelegation', { body: { vat_jti: jti, agent_id: 'sub-bot' } }),
      revocation: await call('previewRevocation', { body: { vat_jti: jti } }),
      verified: await call('verifyToken', { body: { compact_jwt } }),
      introspected: await call('introspectToken', { body: { token: compact_jwt } }),
      record: await call('getRecord', { params: { id: aar_id } }),
      denial: await call('getDenial', { params: { id: denial_id } }),
      approval: await call('getApproval', { params: { id: approval_id } }),
      lineage: await call('getLineage', { params: { id: aar_id } }),
      records: await call('listRecords', { query: { agent_id: 'calendar-bot' } }),
      workflow: await call('listWorkflowRecords', { params: ref, query: { agent_id: 'sub-bot' } }),
      graph: await call('getWorkflowGraph', { params: ref }),
      habits: await call('listHabits', { query: { agent_id: 'calendar-bot' } }),
      workflows: await call('listWorkflows', { query: { agent_id: 'sub-bot' } }),
      person: await textOf(await call('exportHuman', { params: { human_ref } })),
      ndjson: await exported('ndjson'),
      csv: await exported('csv'),
      prov: await exported('prov-json'),
    }
    for (const [name, answer] of Object.entries(answers)) {
      const text = JSON.stringify(answer)
      assert.match(text, /agent:(calendar|sub)-bot/, name)
      assert.doesNotMatch(text, /acme:/, name)
    }
    assert.deepEqual([answers.records.data.length, answers.workflow.data.length], [1, 1])
  })

  test('can verify its proof packs and receipts, whose leaves name the tenant', async (context) => {
    const { service, acmes } = await threeTenants(context)
    const call = callerOf(service, aDeveloper('acme'))
    const params = { ref: acmes.claims.svc_provenance_ref }
    const pack = await textOf(await call('exportWorkflow', { params, query: { format: 'proof-pack' } }))
    assert.match(pack, /agent:acme:calendar-bot/)
    const { records } = await verifyProofPack(linesOf(pack), {})
    assert.equal(records, 2)
    const receipt = await call('getReceipt', { params: { id: acmes.aar_id } })
    await checkReceipt(receipt, {})
  })
})

describe('a signed-in person', () => {
  test('sees their own entries under any of their refs in every list, and no others', async (context) => {
    const { service, ours, acmes } = await threeTenants(context)
    const call = callerOf(service, aDeveloper('acme'))
    const body = { developer_email: 'else@example.com', agent_id: 'calendar-bot', ...SCOPE }
    const other = (await call('issueL1', { body })).claims.svc_human_ref
    const person = aHuman('acme', 'sha256:own', acmes.human_ref)
    assert.deepEqual(await seen(service, person), NOTHING)
    assert.deepEqual(await seen(service, person, { human_ref: acmes.human_ref }), wholeOf(acmes))
    assert.deepEqual(await seen(service, aHuman('acme', acmes.human_ref)), wholeOf(acmes))
    for (const human_ref of [other, ours.human_ref])
      assert.deepEqual(await seen(service, person, { human_ref }), NOTHING)
    assert.deepEqual(await seen(service, aHuman('acme', ours.human_ref)), NOTHING, 'one of another tenant')
  })
})
