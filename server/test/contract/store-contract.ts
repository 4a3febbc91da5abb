import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type AuthorityError, append, type Claims, emptyFrontier, leafHash, rootOf } from '@deputy/protocol'
import fc from 'fast-check'
import type { Command, IssueCommand, RecordActionCommand, Reply } from '../../src/clerk/command.ts'
import { needsOf } from '../../src/clerk/judge.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { countCompleted, countCreated, countRated, emptyTally } from '../../src/domain/reputation.ts'
import { digestOf } from '../../src/operations/operation-context.ts'
import type { ReadStore, RecordFilter, WriteStore } from '../../src/store/port.ts'
import type { ManualClock } from '../builders.ts'

/** A store under test: both sides, the clock it was given, and a way to look at its log. */
export interface OpenStore {
  readonly writer: WriteStore
  readonly reader: ReadStore
  readonly clock: ManualClock
  leaves(): { log_index: number; leaf: string; leaf_hash: Uint8Array }[]
  frontierRoot(): Uint8Array
  /** Closes both sides and opens them again on what was kept. */
  reopen(): Promise<OpenStore>
}

export const NO_FILTER: RecordFilter = {
  agent_id: undefined,
  action: undefined,
  resource: undefined,
  result: undefined,
  rating: undefined,
  state: undefined,
  assurance_level: undefined,
  human_ref: undefined,
  provenance_ref: undefined,
  from_ms: undefined,
  to_ms: undefined,
}
const FIRST_PAGE = { limit: 200, before: undefined }

/** What every store promises. */
export function storeContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store`, () => {
    test('shows a reader every change as soon as it is acknowledged', async (context) => {
      const store = await open(context)
      const outcome = await run(store, [
        issue('a'),
        record('a', 'r1'),
        record('a', 'r2', { result: 'error' }),
      ])
      assert.equal(outcome.length, 3)
      assert.equal((await store.reader.record('aar_r1'))?.state, 'completed')
      assert.deepEqual(await store.reader.workflow('prov_a'), {
        total_records: 2,
        unique_agents: 1,
        actions_by_type: { read: 2 },
        results_by_type: { error: 1, success: 1 },
      })
    })

    test('lets a later command of a batch see what an earlier one did', async (context) => {
      const store = await open(context)
      const [, , refused, answer] = await run(store, [
        issue('a'),
        { kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined, reason_digest: undefined },
        record('a', 'r1'),
        { kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined, reason_digest: undefined },
      ])
      assert.deepEqual(outcomeOf(refused).reasons, ['token_revoked'])
      assert.equal(outcomeOf(answer).already_revoked, true)
    })

    test('leaves nothing behind of a transaction that fails', async (context) => {
      const store = await open(context)
      await run(store, [issue('a')])
      const before = store.leaves().length
      await assert.rejects(async () =>
        store.writer.transact(needsOf([]), () => {
          throw new Error('a bug in a judge')
        }),
      )
      assert.equal(store.leaves().length, before)
      assert.deepEqual(outcomeOf((await run(store, [record('a', 'r1')]))[0]).allowed, true)
    })

    test('refuses what a command may not do without touching its neighbours', async (context) => {
      const store = await open(context)
      const replies = await run(store, [issue('a'), record('unknown', 'r1'), record('a', 'r2')])
      assert.equal(refusalOf(replies[1]).code, 'token_unknown')
      assert.equal(outcomeOf(replies[2]).allowed, true)
    })

    test('judges the others of a batch when one command hits a bug', async (context) => {
      const store = await open(context)
      const bugs: unknown[] = []
      const broken = {
        ...record('a', 'r1'),
        vat_jti: 'vat_root_a',
        spend_micro_usd: 0n,
      } as unknown as Command
      const commands = [issue('a'), broken, record('a', 'r2')]
      const { replies } = await runBatch(store.writer, commands, (cause) => bugs.push(cause))
      assert.ok(replies[1] !== undefined && 'bug' in replies[1])
      assert.equal(outcomeOf(replies[2]).allowed, true)
      assert.equal(bugs.length, 1)
      assert.equal(await store.reader.record('aar_r1'), undefined)
    })

    test('keeps a rating for ever', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), record('a', 'r1')])
      await run(store, [rate('r1', 'approved')])
      const [again] = await run(store, [rate('r1', 'rejected')])
      assert.equal(refusalOf(again).code, 'rating_immutable')
      assert.equal((await store.reader.record('aar_r1'))?.rating?.rating, 'approved')
    })

    test('answers a repeated request as the first time, and refuses its key for another', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', fingerprint: 'f' }
      await run(store, [issue('a')])
      const [first, second] = await run(store, [
        { ...record('a', 'r1'), replay },
        { ...record('a', 'r2'), replay },
      ])
      const reopened = await store.reopen()
      const [later] = await run(reopened, [{ ...record('a', 'r3'), replay }])
      assert.deepEqual(outcomeOf(second).aar_id, outcomeOf(first).aar_id)
      assert.deepEqual(outcomeOf(later).aar_id, outcomeOf(first).aar_id)
      const [other] = await run(reopened, [
        { ...record('a', 'r4'), replay: { key: 'k', fingerprint: 'other' } },
      ])
      assert.equal(refusalOf(other).code, 'idempotency_mismatch')
    })

    test('forgets a repeated request after a day', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', fingerprint: 'f' }
      await run(store, [issue('a', { lifetime_s: 30 * 86_400 }), { ...record('a', 'r1'), replay }])
      store.clock.advance(24 * 3600 * 1000)
      await run(store, [{ kind: 'sweep', limit: 10 }])
      const [later] = await run(store, [{ ...record('a', 'r2'), replay }])
      assert.equal(outcomeOf(later).aar_id, 'aar_r2')
    })

    test('expires pending records in time and gives their reservations back', async (context) => {
      const store = await open(context)
      await run(store, [issue('a', { max_spend_usd: 1 }), authorize('a', 'r1', 1_000_000)])
      store.clock.advance(60_000)
      await run(store, [{ kind: 'sweep', limit: 10 }])
      assert.equal((await store.reader.record('aar_r1'))?.state, 'expired')
      assert.equal((await store.reader.chain('vat_root_a'))?.[0].state.reserved_micro_usd, 0)
    })

    test('never lets time run backwards in the log', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), record('a', 'r1')])
      store.clock.advance(-60_000)
      await run(await store.reopen(), [record('a', 'r2')])
      const times = store.leaves().map(({ leaf }) => JSON.parse(leaf).at)
      assert.deepEqual([...times].sort(), times)
    })

    test('pages through any filter without a gap or a repeat', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), issue('b', { agent: 'other' })])
      for (let i = 0; i < 30; i++) {
        store.clock.advance(1000)
        await run(store, [
          record(i % 3 === 0 ? 'b' : 'a', `r${i}`, { result: i % 5 === 0 ? 'error' : 'success' }),
        ])
      }
      await run(store, [rate('r4', 'flagged'), rate('r9', 'flagged'), rate('r6', 'approved')])
      const ids = async (filter: Partial<RecordFilter>) =>
        (await pageThrough(store, { ...NO_FILTER, ...filter }, 4)).map((id) => Number(id.slice(5)))
      const all = Array.from({ length: 30 }, (_, i) => 29 - i)
      assert.deepEqual(await ids({}), all)
      assert.deepEqual(
        await ids({ agent_id: 'other' }),
        all.filter((i) => i % 3 === 0),
      )
      assert.deepEqual(
        await ids({ provenance_ref: 'prov_a', result: 'error' }),
        all.filter((i) => i % 3 !== 0 && i % 5 === 0),
      )
      assert.deepEqual(
        await ids({ result: 'success' }),
        all.filter((i) => i % 5 !== 0),
      )
      assert.deepEqual(await ids({ rating: 'flagged' }), [9, 4])
      assert.deepEqual(await ids({ state: 'completed', assurance_level: 'L1' }), all)
      assert.deepEqual(await ids({ state: 'expired' }), [])
      assert.deepEqual(await ids({ action: 'never-seen' }), [])
      const start_ms = (await store.reader.record('aar_r0'))?.created_at_ms ?? 0
      assert.deepEqual(await ids({ from_ms: start_ms + 5000, to_ms: start_ms + 8000 }), [7, 6, 5])
    })

    test('keeps counters, budgets and log equal to a recomputation after any history', async (context) => {
      await fc.assert(
        fc.asyncProperty(history, async (batches) => {
          const store = await open(context)
          for (const batch of batches) {
            store.clock.advance(batch.pause_ms)
            await run(store, batch.commands)
          }
          await assertConsistent(store)
          await assertConsistent(await store.reopen())
        }),
        { numRuns: 60 },
      )
    })
  })
}

export async function run(store: OpenStore, commands: readonly Command[]): Promise<Reply[]> {
  const { replies } = await runBatch(store.writer, commands, (cause) => {
    throw cause
  })
  return replies
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its commands answer
function outcomeOf(reply: Reply | undefined): any {
  assert.ok(reply !== undefined && 'outcome' in reply, JSON.stringify(reply))
  return reply.outcome
}

function refusalOf(reply: Reply | undefined) {
  assert.ok(reply !== undefined && 'refusal' in reply, JSON.stringify(reply))
  return reply.refusal satisfies { code: AuthorityError['code'] }
}

interface IssueOptions {
  agent?: string
  max_spend_usd?: number
  lifetime_s?: number
}

let statusIndex = 0
const START_S = Date.parse('2027-01-01T00:00:00Z') / 1000

export function issue(
  name: string,
  { agent = 'bot', max_spend_usd, lifetime_s = 86_400 }: IssueOptions = {},
): IssueCommand {
  const claims: Claims = {
    iss: 'urn:deputy:open:test',
    sub: `agent:${agent}`,
    iat: START_S,
    nbf: START_S,
    exp: START_S + lifetime_s,
    jti: `vat_root_${name}`,
    svc_trust_score: 0.4,
    svc_scope: { resources: ['mail:*'], actions: ['read', 'send'] },
    svc_assurance_level: 'L1',
    svc_human_ref: 'sha256:someone',
    svc_provenance_ref: `prov_${name}`,
    svc_delegation_depth: 0,
    svc_root_jti: `vat_root_${name}`,
    ...(max_spend_usd !== undefined && { svc_constraints: { max_spend_usd } }),
  }
  return {
    kind: 'issue',
    claims,
    purpose: undefined,
    compact_jwt: 'x.y.z',
    jwt_hash: 'sha256:x',
    status_index: statusIndex++,
  }
}

const ASK = {
  action: 'read',
  resource: 'mail:inbox',
  spend_micro_usd: 0,
  parent_aar_id: undefined,
  metadata: undefined,
  metadata_digest: undefined,
  trace_id: undefined,
  approval_id: undefined,
  approval_ttl_ms: 60_000,
}

export function record(
  token: string,
  suffix: string,
  changes: Partial<
    Pick<RecordActionCommand, 'result' | 'action' | 'resource' | 'spend_micro_usd' | 'parent_aar_id'>
  > = {},
): Command {
  return {
    kind: 'record_action',
    ...ASK,
    suffix,
    vat_jti: `vat_root_${token}`,
    result: 'success',
    result_hash: undefined,
    ...changes,
  }
}

export function authorize(token: string, suffix: string, spend_micro_usd: number): Command {
  return {
    kind: 'authorize',
    ...ASK,
    suffix,
    vat_jti: `vat_root_${token}`,
    spend_micro_usd,
    dry_run: false,
    pending_ttl_ms: 60_000,
  }
}

export function rate(suffix: string, rating: 'approved' | 'flagged' | 'rejected'): Command {
  return {
    kind: 'rate',
    aar_id: `aar_${suffix}`,
    rating,
    note: undefined,
    note_digest: undefined,
    rater_assurance: 'none',
  }
}

async function pageThrough({ reader }: OpenStore, filter: RecordFilter, limit: number): Promise<string[]> {
  const ids: string[] = []
  let before: number | undefined
  do {
    const page = await reader.records(filter, { limit, before })
    ids.push(...page.entries.map((entry) => entry.aar_id))
    before = page.before
  } while (before !== undefined)
  return ids
}

const TOKENS = ['a', 'b', 'c'] as const
const token = fc.constantFrom(...TOKENS)
const target = fc.nat(40).map((n) => `h${n}`)
const spending = fc.constantFrom(0, 1, 300_000, 600_000)

/** Random commands on three tokens, two agents and two budgets; many of them are refused, which is the point. */
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        token,
        target,
        fc.constantFrom('success', 'error', 'partial', 'cancelled'),
        fc.constantFrom('read', 'send', 'nope'),
        spending,
      )
      .map(([t, s, result, action, spend_micro_usd]) => record(t, s, { result, action, spend_micro_usd })),
  },
  { weight: 4, arbitrary: fc.tuple(token, target, spending).map(([t, s, spend]) => authorize(t, s, spend)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(target, fc.constantFrom('success', 'error'), fc.option(spending, { nil: undefined }))
      .map(([s, result, spend_micro_usd]) => ({
        kind: 'complete' as const,
        aar_id: `aar_${s}`,
        result,
        result_hash: undefined,
        spend_micro_usd,
        metadata: undefined,
        metadata_digest: undefined,
        completion_digest: digestOf([result, spend_micro_usd ?? null]),
      })),
  },
  { weight: 1, arbitrary: target.map((s) => ({ kind: 'cancel' as const, aar_id: `aar_${s}` })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(target, fc.constantFrom('approved' as const, 'flagged' as const, 'rejected' as const))
      .map(([s, r]) => rate(s, r)),
  },
  {
    weight: 1,
    arbitrary: token.map((t) => ({
      kind: 'revoke' as const,
      vat_jti: `vat_root_${t}`,
      reason: undefined,
      reason_digest: undefined,
    })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' as const, limit: 5 }) },
)

const history = fc
  .array(
    fc.record({
      pause_ms: fc.constantFrom(0, 1, 20_000, 70_000),
      commands: fc.array(command, { minLength: 1, maxLength: 8 }),
    }),
    { maxLength: 12 },
  )
  .map((batches) => [
    {
      pause_ms: 0,
      commands: [
        issue('a', { max_spend_usd: 1 }),
        issue('b', { agent: 'other', max_spend_usd: 2 }),
        issue('c'),
      ],
    },
    ...uniqueSuffixes(batches),
  ])

/** Ids are unique by construction in the service, so histories must not make the same one twice. */
function uniqueSuffixes(
  batches: { pause_ms: number; commands: Command[] }[],
): { pause_ms: number; commands: Command[] }[] {
  const used = new Set<string>()
  return batches.map(({ pause_ms, commands }) => ({
    pause_ms,
    commands: commands.filter((one) => {
      if (!('suffix' in one)) return true
      const isNew = !used.has(one.suffix)
      used.add(one.suffix)
      return isNew
    }),
  }))
}

/** Everything that is kept twice must agree: counters with records, budgets with records, the log with itself. */
async function assertConsistent(store: OpenStore): Promise<void> {
  const { entries: records } = await store.reader.records(NO_FILTER, FIRST_PAGE)
  for (const agent of ['bot', 'other']) {
    const tally = emptyTally()
    for (const one of records.filter(({ agent_id }) => agent_id === agent)) {
      countCreated(tally)
      if (one.result !== undefined) countCompleted(tally, one.result)
      if (one.rating !== undefined) countRated(tally, one.rating.rating)
    }
    assert.deepEqual((await store.reader.agent(agent))?.tally, tally)
  }
  for (const name of TOKENS) {
    const own = records.filter(({ provenance_ref }) => provenance_ref === `prov_${name}`)
    assert.deepEqual(await store.reader.workflow(`prov_${name}`), {
      total_records: own.length,
      unique_agents: new Set(own.map(({ agent_id }) => agent_id)).size,
      actions_by_type: countBy(own.map(({ action }) => action)),
      results_by_type: countBy(own.flatMap(({ result }) => result ?? [])),
    })
    const state = (await store.reader.chain(`vat_root_${name}`))?.[0].state
    const sum = (wanted: string) =>
      own.filter((one) => one.state === wanted).reduce((total, one) => total + one.spend_micro_usd, 0)
    assert.equal(state?.spent_micro_usd, sum('completed'))
    assert.equal(state?.reserved_micro_usd, sum('pending'))
    assert.equal(state?.actions, own.length)
  }
  assertLog(store)
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy([...names].sort(), (name) => name)].map(([name, group]) => [name, group.length]),
  )
}

function assertLog(store: OpenStore): void {
  const frontier = emptyFrontier()
  for (const [index, { log_index, leaf, leaf_hash }] of store.leaves().entries()) {
    assert.equal(log_index, index)
    assert.deepEqual(Buffer.from(leaf_hash), Buffer.from(leafHash(leaf)))
    assert.doesNotMatch(leaf, /vat_root_/)
    append(frontier, leaf_hash)
  }
  assert.deepEqual(Buffer.from(store.frontierRoot()), Buffer.from(rootOf(frontier)))
}
