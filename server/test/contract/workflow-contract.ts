import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { LEVELS, tokenRef } from '@deputize/protocol'
import fc from 'fast-check'
import type { Command, ExtendCommand } from '../../src/clerk/command.ts'
import { EVERY_DENIAL, EVERY_RECORD, type WorkflowFilter } from '../../src/store/port/filters.ts'
import type { StoredLeaf } from '../../src/store/port/log-reader.ts'
import type { GraphPosition, WorkflowFacts } from '../../src/store/port/workflow-reader.ts'
import { authorize, issue, type OpenStore, rate, record, run } from './store-contract.ts'

const ANY: WorkflowFilter = {
  tenant_id: undefined,
  human_ref: undefined,
  agent_id: undefined,
  from_ms: undefined,
  to_ms: undefined,
}

/** The promises of every store about whole workflows. */
export function workflowContract(
  name: string,
  open: (context: TestContext) => Promise<OpenStore>,
  /** Number of random histories that the store must survive. */
  histories: number,
): void {
  describe(`${name} store, workflows`, () => {
    test('returns nothing for an unknown workflow', async (context) => {
      const { workflows } = (await open(context)).reader
      assert.equal(await workflows.facts('prov_x'), undefined)
      assert.deepEqual(await workflows.list(ANY, { limit: 10, before: undefined }), {
        entries: [],
        before: undefined,
      })
      assert.deepEqual(await workflows.graph('prov_x', 10, { records_from: 0 }), {
        records: [],
        denials: [],
        approvals: [],
        chains: [],
        next: undefined,
      })
      assert.deepEqual(await collected(workflows.leaves('prov_x', 10)), [])
      assert.deepEqual(await collected(workflows.agents('prov_x', 10)), [])
      assert.deepEqual(await collected(workflows.resources('prov_x', 10)), [])
      assert.equal(await workflows.lineage('aar_x', { causes: 1, effects: 1 }), undefined)
    })

    test('counts the tokens of workflows that have not expired and were not revoked themselves', async (context) => {
      const store = await open(context)
      const { reader, clock } = store
      await run(store, [
        issue('a'),
        issue('b'),
        delegate('root_a', 's1', 'sub', 'a'),
        delegate('root_a', 's2', 'sub', 'a'),
      ])
      const live = async () =>
        Object.fromEntries(await reader.workflows.liveTokens(['prov_a', 'prov_b'], clock()))
      assert.deepEqual(await live(), { prov_a: 3, prov_b: 1 })
      await run(store, [{ kind: 'revoke_all', owner: { agent_id: 'sub' }, reason: undefined }])
      assert.deepEqual(await live(), { prov_a: 1, prov_b: 1 })
      clock.advance(40 * 86_400_000)
      assert.deepEqual(await live(), { prov_a: 0, prov_b: 0 })
    })

    test('finds the token of each leaf that has no row of its own', async (context) => {
      const store = await open(context)
      const { workflows } = store.reader
      await run(store, [
        issue('a'),
        delegate('root_a', 's1', 'sub', 'a'),
        delegate('root_a', 's2', 'sub', 'a'),
      ])
      await run(store, [{ kind: 'revoke', vat_jti: 'vat_sub_s1', reason: undefined }])
      await run(store, [{ kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined }])
      assert.equal(await workflows.tokenAt('prov_a', 3), 'vat_sub_s1')
      assert.equal(await workflows.tokenAt('prov_a', 4), 'vat_root_a')
      assert.equal(await workflows.tokenAt('prov_a', 1), undefined)
      assert.equal(await workflows.tokenAt('prov_x', 3), undefined)
    })

    test('lists workflows by person, agent and time, each only once', async (context) => {
      const store = await open(context)
      for (const [name, agent] of Object.entries({ a: 'bot', b: 'other', c: 'bot' })) {
        await run(store, [issue(name, { agent })])
        store.clock.advance(1000)
      }
      await run(store, [delegate('root_b', 's1', 'bot'), delegate('root_b', 's2', 'bot')])
      await run(store, [record('b', 'r1')])
      const names = async (filter: Partial<WorkflowFilter>) =>
        (await listed(store, { ...ANY, ...filter }, 1)).map(({ provenance_ref }) => provenance_ref.slice(5))
      assert.deepEqual(await names({}), ['c', 'b', 'a'])
      assert.deepEqual(await names({ agent_id: 'bot' }), ['c', 'b', 'a'])
      assert.deepEqual(await names({ agent_id: 'other' }), ['b'])
      assert.deepEqual(await names({ agent_id: 'nobody' }), [])
      assert.deepEqual(await names({ human_ref: 'sha256:someone' }), ['c', 'b', 'a'])
      assert.deepEqual(await names({ human_ref: 'sha256:someone', agent_id: 'other' }), ['b'])
      assert.deepEqual(await names({ human_ref: 'sha256:nobody' }), [])
      const start = (await store.reader.workflows.facts('prov_a'))?.created_at_ms ?? 0
      assert.deepEqual(await names({ from_ms: start + 1 }), ['c', 'b'])
      assert.deepEqual(await names({ to_ms: start + 2000 }), ['b', 'a'])
      assert.deepEqual(await names({ from_ms: start + 1000, to_ms: start + 2000 }), ['b'])
      assert.deepEqual(await names({ from_ms: start + 3000 }), [])
      assert.deepEqual(await names({ to_ms: start }), [])
    })

    test('numbers workflows in the order in which they begin, whatever else the batch contains', async (context) => {
      const store = await open(context)
      const revoke = { kind: 'revoke', vat_jti: 'vat_root_b', reason: undefined }
      await run(store, [issue('a'), issue('b'), revoke as Command, issue('c')])
      const refs = (await listed(store, ANY, 10)).map(({ provenance_ref }) => provenance_ref)
      assert.deepEqual(refs, ['prov_c', 'prov_b', 'prov_a'])
    })

    test('follows causes to the first one and effects one step', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), record('a', 'r0')])
      for (let i = 1; i < 6; i++) await run(store, [record('a', `r${i}`, { parent_aar_id: `aar_r${i - 1}` })])
      await run(store, [record('a', 'twin', { parent_aar_id: 'aar_r2' })])
      const lineage = await store.reader.workflows.lineage('aar_r2', { causes: 2, effects: 2 })
      const ids = (list: readonly { aar_id: string }[] = []) => list.map(({ aar_id }) => aar_id)
      assert.equal(lineage?.record.aar_id, 'aar_r2')
      assert.deepEqual(ids(lineage?.causes), ['aar_r1', 'aar_r0'])
      assert.deepEqual(ids(lineage?.effects), ['aar_r3', 'aar_twin'])
      assert.deepEqual([lineage?.has_more_causes, lineage?.has_more_effects], [false, false])
      const less = await store.reader.workflows.lineage('aar_r2', { causes: 1, effects: 1 })
      assert.deepEqual([ids(less?.causes), less?.has_more_causes], [['aar_r1'], true])
      assert.deepEqual([ids(less?.effects), less?.has_more_effects], [['aar_r3'], true])
    })

    test('agrees with a scan of the whole log after any history', async (context) => {
      await fc.assert(
        fc.asyncProperty(workflowHistory, async (batches) => {
          const store = await open(context)
          for (const { pause_ms, commands } of batches) {
            store.clock.advance(pause_ms)
            await run(store, commands)
          }
          await assertWorkflows(store)
        }),
        { numRuns: histories },
      )
    })
  })
}

/** Delegates a token below another one. Names are IDs without their `vat_` prefix. */
function delegate(above: string, name: string, agent: string, root = 'b'): ExtendCommand {
  const { claims, ...rest } = issue(root, { agent })
  return {
    ...rest,
    kind: 'delegate',
    above_jti: `vat_${above}`,
    claims: {
      ...claims,
      jti: `vat_sub_${name}`,
      svc_trust_score: LEVELS.L1.base_trust,
      svc_delegation_depth: 1,
      svc_parent_jti: `vat_${above}`,
    },
  }
}

async function listed(store: OpenStore, filter: WorkflowFilter, limit: number): Promise<WorkflowFacts[]> {
  const all: WorkflowFacts[] = []
  let before: number | undefined
  do {
    const page = await store.reader.workflows.list(filter, { limit, before })
    all.push(...page.entries)
    before = page.before
  } while (before !== undefined)
  return all
}

export async function collected<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of list) all.push(one)
  return all
}

// biome-ignore lint/suspicious/noExplicitAny: leaves of every kind
type AnyLeaf = any

/** Compares every read with the log, which contains every change. */
async function assertWorkflows(store: OpenStore): Promise<void> {
  const leaves: (StoredLeaf & { leaf: AnyLeaf })[] = (await store.leaves()).map(({ log_index, leaf }) => ({
    log_index,
    text: leaf,
    leaf: JSON.parse(leaf),
  }))
  const { workflows } = store.reader
  const end = (await store.reader.log.head()).size
  assert.equal(end, leaves.length)
  const issued = leaves.filter(({ leaf }) => leaf.type === 'token.issued')
  const facts = await listed(store, ANY, 2)
  assert.deepEqual(
    facts.map(({ provenance_ref }) => provenance_ref),
    issued.map(({ leaf }) => leaf.provenance_ref).reverse(),
  )
  for (const one of facts) {
    const { provenance_ref } = one
    assert.deepEqual(await workflows.facts(provenance_ref), one)
    const own = leaves.filter(({ leaf }) => leaf.provenance_ref === provenance_ref)
    const actions = own.filter(({ leaf }) => ['action.authorized', 'action.recorded'].includes(leaf.type))
    const holders = own.filter(({ leaf }) => ['token.issued', 'token.delegated'].includes(leaf.type))
    const { root_jti, position, ...plainFacts } = one
    assert.equal(tokenRef(root_jti), holders[0]?.leaf.token)
    assert.ok(position > 0)
    assert.deepEqual(plainFacts, {
      provenance_ref,
      human_ref: 'sha256:someone',
      agent_id: holders[0]?.leaf.agent_id.slice('agent:'.length),
      assurance_level: 'L1',
      created_at_ms: Date.parse(holders[0]?.leaf.at),
      log_index: holders[0]?.log_index,
      total_records: actions.length,
      unique_agents: new Set(actions.map(({ leaf }) => leaf.agent_id)).size,
      last_action_ms: actions.length === 0 ? undefined : Date.parse(actions.at(-1)?.leaf.at),
    })
    const plain = own.map(({ log_index, text }) => ({ log_index, text }))
    for (const below of [end, Math.floor(end / 2)])
      assert.deepEqual(
        await collected(workflows.leaves(provenance_ref, below)),
        plain.filter(({ log_index }) => log_index < below),
      )
    assert.deepEqual(
      await recordsUp(store, provenance_ref),
      actions.map(({ leaf }) => leaf.aar_id),
    )
    assert.deepEqual(
      new Set(await collected(workflows.agents(provenance_ref, end))),
      new Set(holders.map(({ leaf }) => leaf.agent_id.slice('agent:'.length))),
    )
    const resources = await collected(workflows.resources(provenance_ref, end))
    assert.deepEqual(new Set(resources), new Set(actions.map(({ leaf }) => leaf.resource)))
    assert.equal(new Set(resources).size, resources.length)
    await assertGraph(store, provenance_ref, { actions: actions.length, tokens: holders.length })
  }
}

async function recordsUp({ reader }: OpenStore, provenance_ref: string): Promise<string[]> {
  const ids: string[] = []
  let from: number | undefined = 0
  while (from !== undefined) {
    const page = await reader.workflows.records(
      { ...EVERY_RECORD, provenance_ref },
      { limit: 2, from, end: undefined },
    )
    ids.push(...page.entries.map(({ aar_id }) => aar_id))
    from = page.from
  }
  return ids
}

/**
 * Asserts that the pages of a graph contain every token, contain every action, denial and approval once, and contain
 * with each the chain of its token.
 */
async function assertGraph(
  store: OpenStore,
  provenance_ref: string,
  expected: { actions: number; tokens: number },
): Promise<void> {
  const seen = { actions: 0, tokens: new Set<string>() }
  const others: number[] = []
  let position: GraphPosition | undefined = { records_from: 0 }
  while (position !== undefined) {
    const page: Awaited<ReturnType<typeof store.reader.workflows.graph>> = await store.reader.workflows.graph(
      provenance_ref,
      3,
      position,
      ['denials', 'approvals'],
    )
    const made = [...page.records, ...page.denials, ...page.approvals]
    others.push(...[...page.denials, ...page.approvals].map(({ log_index }) => log_index))
    seen.actions += page.records.length
    const holders = page.chains.map(([{ token }]) => token.jti)
    assert.equal(new Set(holders).size, holders.length)
    for (const { vat_jti } of made) assert.ok(holders.includes(vat_jti))
    for (const chain of page.chains) for (const { token } of chain) seen.tokens.add(token.jti)
    position = page.next
  }
  assert.deepEqual([seen.actions, seen.tokens.size], [expected.actions, expected.tokens])
  assert.equal(new Set(others).size, others.length)
  const denials = await store.reader.countDenials({ ...EVERY_DENIAL, provenance_ref })
  const asked = { ...EVERY_DENIAL, provenance_ref, state: undefined }
  const approvals = await store.reader.countApprovals(asked, store.clock())
  assert.equal(others.length, denials.count + approvals.count)
}

const HOLDERS = ['root_a', 'root_b', 'sub_s0', 'sub_s1', 'sub_s2'] as const
const holder = fc.constantFrom(...HOLDERS)
const target = fc.nat(20).map((n) => `h${n}`)
const NO_REASON = { reason: undefined }

/** Everything that adds a leaf: actions, closings, ratings, denials, approvals, revocations, freezes, thresholds. */
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        holder,
        target,
        fc.constantFrom('read', 'send', 'nope'),
        fc.constantFrom('mail:inbox', 'mail:out'),
        target,
        fc.boolean(),
        fc.constantFrom(0, 300_000),
      )
      .map(([vat, suffix, action, resource, parent, has_parent, spend_micro_usd]) => ({
        ...record('a', suffix, {
          action,
          resource,
          spend_micro_usd,
          parent_aar_id: has_parent ? `aar_${parent}` : undefined,
        }),
        vat_jti: `vat_${vat}`,
      })) as fc.Arbitrary<Command>,
  },
  {
    weight: 4,
    arbitrary: fc.tuple(holder, target).map(([vat, suffix]) => ({
      ...authorize('a', suffix, 1),
      vat_jti: `vat_${vat}`,
    })) as fc.Arbitrary<Command>,
  },
  {
    weight: 3,
    arbitrary: target.map((suffix) => ({
      kind: 'complete' as const,
      aar_id: `aar_${suffix}`,
      result: 'success',
      result_hash: undefined,
      spend_micro_usd: undefined,
      metadata: undefined,
      completion: 'x',
      evidence: 'observed' as const,
    })),
  },
  {
    weight: 1,
    arbitrary: target.map((suffix) => ({
      kind: 'cancel' as const,
      aar_id: `aar_${suffix}`,
      evidence: 'self_reported' as const,
    })),
  },
  { weight: 2, arbitrary: target.map((suffix) => rate(suffix, 'approved')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(target, fc.constantFrom('approved' as const, 'denied' as const))
      .map(([suffix, decision]) => ({
        kind: 'decide_approval' as const,
        approval_id: `apr_${suffix}`,
        decision,
        by: 'human',
        decider: { refs: ['human'], is_reviewer: false },
        note: undefined,
        grant: undefined,
      })),
  },
  {
    weight: 1,
    arbitrary: holder.map((vat) => ({ kind: 'revoke' as const, vat_jti: `vat_${vat}`, ...NO_REASON })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(holder, fc.constantFrom('suspend' as const, 'resume' as const))
      .map(([vat, kind]) => ({
        kind,
        target: { vat_jti: `vat_${vat}` },
        rank: 'operator' as const,
        ...NO_REASON,
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(2), fc.constantFrom('root_b', 'sub_s0'), fc.constantFrom('bot', 'other', 'third'))
      .map(([n, above, agent]) => delegate(above, `s${n}`, agent)),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' as const, limit: 5 }) },
)

export const workflowHistory = fc
  .array(
    fc.record({
      pause_ms: fc.constantFrom(0, 1, 70_000),
      commands: fc.array(command, { minLength: 1, maxLength: 10 }),
    }),
    { maxLength: 14 },
  )
  .map((batches) => [
    { pause_ms: 0, commands: [issue('a', { max_spend_usd: 1 }), asking(issue('b', { agent: 'other' }))] },
    ...withoutRepeats(batches),
  ])

/** Sending requires approval. */
function asking(command: ReturnType<typeof issue>): Command {
  return {
    ...command,
    claims: { ...command.claims, svc_constraints: { require_approval: { actions: ['send'] } } },
  }
}

/** Drops repeated IDs, which the service never draws, so histories must not contain them. */
function withoutRepeats(batches: { pause_ms: number; commands: Command[] }[]) {
  const used = new Set<string>()
  return batches.map(({ pause_ms, commands }) => ({
    pause_ms,
    commands: commands.filter((one) => {
      const id = 'suffix' in one ? one.suffix : one.kind === 'delegate' ? one.claims.jti : undefined
      if (id === undefined) return true
      const isNew = !used.has(id)
      used.add(id)
      return isNew
    }),
  }))
}
