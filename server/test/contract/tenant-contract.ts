import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Command, ExtendCommand, IssueCommand } from '../../src/clerk/command.ts'
import { noMarks } from '../../src/domain/tokens/token.ts'
import { EVERY_RECORD, type RecordFilter } from '../../src/store/port/filters.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { issue, type OpenStore, rate, record, run } from './store-contract.ts'

const TENANTS = { default: undefined, acme: 'acme', umbrella: 'umbrella' } as const
const PAGE = { limit: 100, before: undefined }

/** The promises of every store about tenants. */
export function tenantContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, tenants`, () => {
    test('lists only the data of the tenant', async (context) => {
      const store = await open(context)
      await run(store, [...life('default'), ...life('acme'), ...life('umbrella')])
      await assertLists(store.reader)
      await run(store, [{ kind: 'register_agent', agent_id: 'quiet:bot', profile: {}, must_exist: false }])
      const { reader } = await store.reopen()
      await assertLists(reader)
      assert.deepEqual(await listed(reader, 'quiet'), { ...NOTHING, agents: ['quiet:bot'] })
      assert.deepEqual(await listed(reader, 'nobody'), NOTHING)
      assert.deepEqual(await listed(reader, 'success'), NOTHING, 'a name that is no tenant')
      assert.deepEqual(await listed(reader, 'default', { human_ref: 'sha256:acme' }), {
        ...NOTHING,
        agents: ['other', 'bot'],
        active: ['bot'],
      })
      assert.deepEqual((await listed(reader, undefined)).workflows, ['umbrella', 'acme', 'default'])
    })

    test("knows the tenant of a person's first token", async (context) => {
      const store = await open(context)
      await run(store, [
        ...life('acme'),
        issue('late', { tenant: 'umbrella', agent: 'late', human: 'sha256:acme' }),
      ])
      const { reader } = store
      assert.equal(await reader.firstTenant('sha256:acme'), 'acme')
      assert.equal(await reader.firstTenant('sha256:nobody'), undefined)
    })

    test('pages through the data of a tenant without gaps or repeats', async (context) => {
      const store = await open(context)
      for (let n = 0; n < 12; n += 1) {
        const tenant = n % 3 === 0 ? { tenant: 'acme' } : {}
        await run(store, [issue(`t${n}`, { ...tenant, agent: `bot${n}` }), record(`t${n}`, `r${n}`)])
      }
      const ofAcme = { ...EVERY_RECORD, tenant_id: 'acme' }
      const { reader } = store
      const names = ['t9', 't6', 't3', 't0']
      assert.deepEqual(
        (await everyPage((page) => reader.tokens(ofAcme, page))).map(([{ token }]) => token.jti),
        names.map((one) => `vat_root_${one}`),
      )
      assert.deepEqual(
        (await everyPage((page) => reader.workflows.list(ofAcme, page))).map((one) => one.provenance_ref),
        names.map((one) => `prov_${one}`),
      )
      assert.deepEqual(
        (await everyPage((page) => reader.agents(ofAcme, page))).map(({ agent_id }) => agent_id),
        ['acme:bot9', 'acme:bot6', 'acme:bot3', 'acme:bot0'],
      )
      assert.deepEqual(
        (await everyPage((page) => reader.records(ofAcme, page))).map(({ aar_id }) => aar_id),
        ['aar_r9', 'aar_r6', 'aar_r3', 'aar_r0'],
      )
    })

    test('separates agents of the same name in two tenants: reputation, marks, profile, days and habits', async (context) => {
      const store = await open(context)
      const { reader } = store
      await run(store, [...life('default'), ...life('acme')])
      await run(store, [
        rate('racme', 'rejected'),
        record('acme', 'more', { result: 'error' }),
        {
          kind: 'register_agent',
          agent_id: 'acme:bot',
          profile: { display_name: 'Theirs' },
          must_exist: true,
        },
        { kind: 'suspend', target: { agent_id: 'acme:bot' }, rank: 'operator', reason: undefined },
        { kind: 'revoke_all', owner: { agent_id: 'acme:bot' }, reason: undefined },
      ])
      const ours = await reader.agent('bot')
      const theirs = await reader.agent('acme:bot')
      assert.deepEqual([ours?.tally.total_actions, theirs?.tally.total_actions], [2, 3])
      assert.deepEqual([ours?.tally.rejected, theirs?.tally.rejected], [0, 1])
      assert.deepEqual([ours?.profile, theirs?.profile], [undefined, '{"display_name":"Theirs"}'])
      assert.deepEqual(
        (await reader.agentDays('bot', 10)).map(({ tally }) => tally.total_actions),
        [2],
      )
      const marks = async (name: string) => (await reader.chain(`vat_root_${name}`))?.[0].agent
      assert.deepEqual(await marks('default'), noMarks())
      assert.ok(((await marks('acme'))?.revoked_below ?? 0) > 0)
      assert.notEqual((await marks('acme'))?.suspended_at_ms, undefined)
      assert.deepEqual(
        (await reader.habits({ ...EVERY_RECORD, agent_id: 'bot' })).map(({ human_ref }) => human_ref),
        ['sha256:default'],
      )
      const again = (await store.reopen()).reader
      assert.deepEqual(await again.agent('acme:bot'), theirs)
    })
  })
}

const SENDING = { require_approval: { actions: ['send'] } }

/** Commands that add entries to every list. */
function life(tenant_id: keyof typeof TENANTS): Command[] {
  const tenant = TENANTS[tenant_id]
  const command = issue(tenant_id, { human: `sha256:${tenant_id}`, ...(tenant !== undefined && { tenant }) })
  const root: IssueCommand = { ...command, claims: { ...command.claims, svc_constraints: SENDING } }
  return [
    root,
    passedOn(root, `vat_sub_${tenant_id}`),
    record(tenant_id, `r${tenant_id}`),
    record(tenant_id, `s${tenant_id}`),
    record(tenant_id, `d${tenant_id}`, { resource: 'files:tax' }),
    record(tenant_id, `q${tenant_id}`, { action: 'send' }),
    {
      kind: 'decide_approval',
      approval_id: `apr_q${tenant_id}`,
      decision: 'approved',
      decider: { refs: ['human'], is_reviewer: false },
      grant: undefined,
      by: 'human',
      note: undefined,
    },
  ]
}

function passedOn({ claims, status_index, ...root }: IssueCommand, jti: string): ExtendCommand {
  return {
    ...root,
    kind: 'delegate',
    above_jti: claims.jti,
    status_index: status_index + 1_000_000,
    claims: { ...claims, jti, sub: 'agent:other', svc_delegation_depth: 1, svc_parent_jti: claims.jti },
  }
}

const NOTHING = {
  tokens: [],
  records: [],
  denials: [],
  approvals: [],
  workflows: [],
  habits: [],
  agents: [],
  active: [],
}

async function assertLists(reader: ReadStore): Promise<void> {
  for (const tenant_id of Object.keys(TENANTS)) {
    const prefix = tenant_id === 'default' ? '' : `${tenant_id}:`
    const all = {
      tokens: [`vat_sub_${tenant_id}`, `vat_root_${tenant_id}`],
      records: [`aar_s${tenant_id}`, `aar_r${tenant_id}`],
      denials: [`den_d${tenant_id}`],
      approvals: [`apr_q${tenant_id}`],
      workflows: [tenant_id],
      habits: [`${prefix}bot`],
      agents: [`${prefix}other`, `${prefix}bot`],
      active: [`${prefix}bot`],
    }
    assert.deepEqual(await listed(reader, tenant_id), all)
    const ofPerson = { human_ref: `sha256:${tenant_id}` }
    assert.deepEqual(await listed(reader, tenant_id, ofPerson), all)
    assert.deepEqual(await listed(reader, tenant_id, { assurance_level: 'L1' }), all)
    assert.deepEqual(await listed(reader, tenant_id, { ...ofPerson, agent_id: `${prefix}other` }), {
      ...NOTHING,
      tokens: all.tokens.slice(0, 1),
      workflows: all.workflows,
      agents: all.agents,
      active: all.active,
    })
  }
}

async function listed(reader: ReadStore, tenant_id: string | undefined, more: Partial<RecordFilter> = {}) {
  const filter = { ...EVERY_RECORD, tenant_id, ...more }
  const upward = await reader.workflows.records(filter, { limit: 100, from: 0, end: undefined })
  const records = (await reader.records(filter, PAGE)).entries.map(({ aar_id }) => aar_id)
  assert.deepEqual(upward.entries.map(({ aar_id }) => aar_id).reverse(), records)
  const asked = { ...filter, state: undefined }
  return {
    tokens: (await reader.tokens(filter, PAGE)).entries.map(([{ token }]) => token.jti),
    records,
    denials: (await reader.denials(filter, PAGE)).entries.map(({ denial_id }) => denial_id),
    approvals: (await reader.approvals(asked, PAGE, 0)).entries.map(({ approval_id }) => approval_id),
    workflows: (await workflowsOf(reader, filter)).map((ref) => ref.slice(5)),
    habits: (await reader.habits(filter)).map(({ agent_id }) => agent_id),
    agents: (await reader.agents(filter, PAGE)).entries.map(({ agent_id }) => agent_id),
    active: (await reader.activeAgents(filter, 100)).map(({ agent_id }) => agent_id),
  }
}

async function everyPage<T>(
  read: (page: { limit: number; before: number | undefined }) => Promise<{
    entries: T[]
    before: number | undefined
  }>,
): Promise<T[]> {
  const all: T[] = []
  let before: number | undefined
  do {
    const page = await read({ limit: 3, before })
    all.push(...page.entries)
    before = page.before
  } while (before !== undefined)
  return all
}

/** Lists page by page: on a busy machine, a page may end early. */
async function workflowsOf(reader: ReadStore, filter: RecordFilter): Promise<string[]> {
  const refs: string[] = []
  let before: number | undefined
  do {
    const page = await reader.workflows.list(filter, { ...PAGE, before })
    refs.push(...page.entries.map(({ provenance_ref }) => provenance_ref))
    before = page.before
  } while (before !== undefined)
  return refs
}
