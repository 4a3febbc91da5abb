import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, type TestContext, test } from 'node:test'
import { APPROVAL_STATES, EVIDENCE, RATINGS, STATES } from '@deputize/protocol'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import fc from 'fast-check'
import type { Client } from 'pg'
import type { Command } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import type { RecordFilter } from '../../src/store/port/filters.ts'
import type { Page, PageRequest, UpwardPage } from '../../src/store/port/pages.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { postgresReadStore } from '../../src/store/postgres/read/read-store.ts'
import { readingFrom } from '../../src/store/postgres/read/reading.ts'
import { leavesOfWorkflow } from '../../src/store/postgres/read/workflow-leaves.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { histories } from '../model/histories.ts'
import { play } from '../model/play.ts'
import { aPool, aPostgres } from './a-postgres.ts'
import { copyStore } from './copy-store.ts'
import { apiKey, passkey } from './registry-contract.ts'
import { erase, everyWord, record } from './store-contract.ts'
import { collected, workflowHistory } from './workflow-contract.ts'

const postgres = await aPostgres({ after })

/** The values to query. Each list includes one that doesn't exist. */
interface Known {
  readonly jtis: string[]
  readonly aar_ids: string[]
  readonly denial_ids: string[]
  readonly approval_ids: string[]
  readonly refs: string[]
  readonly agents: string[]
  readonly humans: string[]
  readonly names: string[]
  readonly times: number[]
  readonly size: number
}

function knownIn(file: string): Known {
  const db = new DatabaseSync(file, { readOnly: true })
  const texts = (column: string, table: string) => [
    ...db
      .prepare(`SELECT ${column} AS value FROM ${table}`)
      .all()
      .map(({ value }) => String(value)),
    'unknown',
  ]
  const times = db.prepare('SELECT DISTINCT created_at_ms AS ms FROM records').all()
  const known = {
    jtis: texts('jti', 'tokens'),
    aar_ids: texts('aar_id', 'records'),
    denial_ids: texts('denial_id', 'denials'),
    approval_ids: texts('approval_id', 'approvals'),
    refs: texts('provenance_ref', 'workflows'),
    agents: texts('agent_id', 'agents'),
    humans: texts('human_ref', 'humans'),
    names: texts('name', 'names'),
    times: [0, ...times.flatMap(({ ms }) => [Number(ms), Number(ms) + 1])],
    size: Number(db.prepare('SELECT count(*) AS size FROM leaves').get()?.size),
  }
  db.close()
  return known
}

/** One query. Numbers select from the lists, modulo their length. */
type Question = (store: ReadStore, known: Known) => Promise<unknown>

const number = fc.nat(10_000)
const limit = fc.constantFrom(1, 2, 7, 200)
const sometimes = fc.option(number, { nil: undefined, freq: 1 })
const rarely = fc.option(number, { nil: undefined, freq: 5 }).map((n) => n)

function pick<T>(list: readonly T[], at: number): T {
  const found = list[at % list.length]
  assert.ok(found !== undefined)
  return found
}

const maybe = <T>(list: readonly T[], at: number | undefined) =>
  at === undefined ? undefined : pick(list, at)

const TENANTS = ['default', 'acme', 'umbrella', 'unknown']

const choices = fc.record({
  tenant: rarely,
  agent: rarely,
  human: rarely,
  ref: rarely,
  level: rarely,
  action: rarely,
  resource: rarely,
  result: rarely,
  rating: rarely,
  state: rarely,
  evidence: rarely,
  from: rarely,
  to: rarely,
})
type Choices = typeof choices extends fc.Arbitrary<infer T> ? T : never

function recordFilter(chosen: Choices, known: Known): RecordFilter {
  return {
    tenant_id: maybe(TENANTS, chosen.tenant),
    agent_id: maybe(known.agents, chosen.agent),
    human_ref: maybe(known.humans, chosen.human),
    provenance_ref: maybe(known.refs, chosen.ref),
    assurance_level: maybe(['L1', 'L2', 'L3'], chosen.level),
    action: maybe(known.names, chosen.action),
    resource: maybe(known.names, chosen.resource),
    result: maybe(known.names, chosen.result),
    rating: maybe(RATINGS, chosen.rating),
    state: maybe(STATES, chosen.state),
    evidence: maybe(EVIDENCE, chosen.evidence),
    from_ms: maybe(known.times, chosen.from),
    to_ms: maybe(known.times, chosen.to),
  }
}

/** All pages of a list, so that page boundaries are compared, too. */
async function pages<T>(read: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<Page<T>[]> {
  const all: Page<T>[] = []
  let before: number | undefined
  do {
    const page = await read({ limit, before })
    all.push(page)
    before = page.before
  } while (before !== undefined)
  return all
}

async function upwardPages<T>(read: (from: number) => Promise<UpwardPage<T>>): Promise<UpwardPage<T>[]> {
  const all: UpwardPage<T>[] = []
  let from: number | undefined = 0
  while (from !== undefined) {
    const page: UpwardPage<T> = await read(from)
    all.push(page)
    from = page.from
  }
  return all
}

async function graphPages(store: ReadStore, ref: string, limit: number) {
  const all: unknown[] = []
  let position: Parameters<ReadStore['workflows']['graph']>[2] | undefined = { records_from: 0 }
  while (position !== undefined) {
    const page: Awaited<ReturnType<ReadStore['workflows']['graph']>> = await store.workflows.graph(
      ref,
      limit,
      position,
      ['denials', 'approvals'],
    )
    all.push(page)
    position = page.next
  }
  return all
}

const NOW = manualClock()()
const now = fc.constantFrom(0, NOW, NOW + 60_000, NOW + 90_000_000)

const question: fc.Arbitrary<{ name: string; ask: Question }> = fc.oneof(
  fc.tuple(choices, limit).map(([chosen, limit]) => ({
    name: 'records',
    ask: (store: ReadStore, known: Known) =>
      pages((page) => store.records(recordFilter(chosen, known), page), limit),
  })),
  fc.tuple(choices, limit, sometimes).map(([chosen, limit, end]) => ({
    name: 'workflows.records',
    ask: (store: ReadStore, known: Known) =>
      upwardPages((from) =>
        store.workflows.records(recordFilter(chosen, known), {
          limit,
          from,
          end: end === undefined ? undefined : end % (known.size + 2),
        }),
      ),
  })),
  fc.tuple(choices, limit).map(([chosen, limit]) => ({
    name: 'denials',
    ask: (store: ReadStore, known: Known) =>
      pages((page) => store.denials(recordFilter(chosen, known), page), limit),
  })),
  fc.tuple(choices, limit, now).map(([chosen, limit, now_ms]) => ({
    name: 'approvals',
    ask: (store: ReadStore, known: Known) => {
      const filter = { ...recordFilter(chosen, known), state: maybe(APPROVAL_STATES, chosen.state) }
      return pages((page) => store.approvals(filter, page, now_ms), limit)
    },
  })),
  fc.tuple(choices, limit).map(([chosen, limit]) => ({
    name: 'tokens',
    ask: (store: ReadStore, known: Known) =>
      pages((page) => store.tokens(recordFilter(chosen, known), page), limit),
  })),
  fc.tuple(choices, limit).map(([chosen, limit]) => ({
    name: 'workflows.list',
    ask: (store: ReadStore, known: Known) =>
      pages((page) => store.workflows.list(recordFilter(chosen, known), page), limit),
  })),
  fc.tuple(number, limit, now).map(([n, limit, now_ms]) => ({
    name: 'a token',
    ask: async (store: ReadStore, known: Known) => {
      const jti = pick(known.jtis, n)
      return [
        await store.chain(jti),
        await store.words([jti, pick(known.jtis, n + 1)]),
        await pages((page) => store.descendants(jti, page), limit),
        await store.blastRadius(jti, now_ms),
        await store.usage(jti),
      ]
    },
  })),
  fc.tuple(number, limit, fc.boolean()).map(([n, limit, half]) => ({
    name: 'a workflow',
    ask: async (store: ReadStore, known: Known) => {
      const ref = pick(known.refs, n)
      const end = half ? Math.floor(known.size / 2) : known.size
      return [
        JSON.stringify(await store.workflow(ref)), // also compares the order of its members
        await store.workflows.facts(ref),
        await graphPages(store, ref, limit),
        (await collected(store.workflows.agents(ref, end))).sort(),
        (await collected(store.workflows.resources(ref, end))).sort(),
        await collected(store.workflows.leaves(ref, end)),
      ]
    },
  })),
  fc.tuple(number, fc.nat(3)).map(([n, most]) => ({
    name: 'an entry',
    ask: async (store: ReadStore, known: Known) => [
      await store.record(pick(known.aar_ids, n)),
      await store.denial(pick(known.denial_ids, n)),
      await store.approval(pick(known.approval_ids, n)),
      await store.workflows.lineage(pick(known.aar_ids, n), { causes: most, effects: most }),
    ],
  })),
  fc.tuple(number, limit, now).map(([n, limit, now_ms]) => ({
    name: 'agents and people',
    ask: async (store: ReadStore, known: Known) => {
      const agent_id = pick(known.agents, n)
      const tenant_id = maybe(TENANTS, n % 3 === 0 ? undefined : n)
      const human_ref = pick(known.humans, n)
      return [
        await store.agent(agent_id),
        await store.agentDays(agent_id, limit),
        await pages((page) => store.agents({ tenant_id }, page), limit),
        await store.activeAgents({ tenant_id }, limit),
        await store.human(human_ref, now_ms),
        await store.firstTenant(human_ref),
        await store.habits({ tenant_id, agent_id, human_ref: undefined }),
        await store.habits({ tenant_id, agent_id: undefined, human_ref }),
        await store.habits({ tenant_id, agent_id: undefined, human_ref: undefined }),
      ]
    },
  })),
  fc.tuple(number, limit, rarely, rarely).map(([n, limit, tenant, human]) => ({
    name: 'the registry',
    ask: async (store: ReadStore, known: Known) => {
      const filter = { tenant_id: maybe(['acme', 'a', 'b'], tenant), owner: maybe(known.humans, human) }
      return [
        await store.registry.entry('api_key', pick(REGISTERED, n)),
        await store.registry.entry('passkey', pick(['p1', 'p2', 'p1x', 'p3'], n)),
        await pages((page) => store.registry.list('api_key', filter, page), limit),
        await pages((page) => store.registry.list('passkey', filter, page), limit),
      ]
    },
  })),
  fc.tuple(number, limit, now).map(([n, limit, now_ms]) => ({
    name: 'the log',
    ask: async (store: ReadStore, known: Known) => {
      const start = n % (known.size + 2)
      return [
        await store.log.head(),
        await store.log.leaves(start, start + limit),
        await store.log.leafHashes(start, start + limit),
        await store.log.nodes(1, 0, 10),
        await store.log.lastCheckpoint(),
        await pages((page) => store.log.checkpoints(page), limit),
        await store.standingChanges(start, limit),
        await store.silenced(now_ms),
        await store.nextStatusIndex(),
      ]
    },
  })),
)

/** IDs that the databases might sort differently. */
const REGISTERED = ['b', 'B', 'a_', 'a-', 'A', 'é', 'z']

/** Data that other histories lack: texts, profiles, the registry, checkpoints, erasures. */
const more: fc.Arbitrary<Command[]> = fc.tuple(fc.boolean(), fc.nat(2)).map(([is_erased, checkpoints]) => [
  ...everyWord('words'),
  ...everyWord('others', { human: 'sha256:other' }),
  ...everyWord('acmes', { human: 'sha256:acmes', tenant: 'acme' }),
  { kind: 'register_agent', agent_id: 'umbrella:bot', profile: {}, must_exist: false },
  ...['x1', 'x2'].map((suffix) =>
    record('words-kept', suffix, { metadata: '{"a":1}', parent_aar_id: 'aar_rwords' }),
  ),
  { kind: 'register_agent', agent_id: 'bot', profile: { name: 'Bot' }, must_exist: false },
  ...REGISTERED.map((id) => apiKey(id, { tenant_id: id.toLowerCase() })),
  ...['p1', 'p2'].flatMap((id) => [passkey(id, 'sha256:someone'), passkey(`${id}x`, 'sha256:other')]),
  passkey('p1', 'sha256:someone', { document: undefined, expects: 'any' }),
  ...Array.from({ length: checkpoints }, (_, size) => ({
    kind: 'keep_checkpoint' as const,
    size: size + 1,
    root: Buffer.alloc(32, size).toString('base64'),
    signed_at_ms: size,
    note: `note ${size}`,
  })),
  ...(is_erased ? [erase('sha256:someone'), ...everyWord('again')] : []),
])

/** Shifts status indexes, because the other histories also assign them. */
function elsewhere(command: Command): Command {
  return 'status_index' in command ? { ...command, status_index: command.status_index + 1_000_000 } : command
}

/** Runs the history on SQLite and copies the result to PostgreSQL. */
async function twoStores(context: TestContext, client: Client, fill: (write: Filling) => Promise<void>) {
  const file = join(temporaryDirectory(context), 'deputy.db')
  const clock = manualClock()
  const store = sqliteWriteStore({ file, instance: 'test', vault_key: TEST_VAULT_KEY, clock })
  await fill({ store, clock })
  store.close()
  await copyStore(file, client)
  return { file, sqlite: sqliteReadStore(file, TEST_VAULT_KEY) }
}

type Filling = { store: ReturnType<typeof sqliteWriteStore>; clock: ReturnType<typeof manualClock> }

describe('PostgreSQL returns the same as SQLite', () => {
  test('for any read after any history', async (context) => {
    const url = await postgres.database()
    const client = await openConnection(url, 'test', () => {})
    const pool = aPool(url)
    const reader = postgresReadStore(pool, TEST_VAULT_KEY)
    context.after(async () => {
      await reader.close()
      await client.end()
    })
    await fc.assert(
      fc.asyncProperty(
        histories(),
        workflowHistory,
        more,
        fc.array(question, { minLength: 60, maxLength: 60 }),
        async (history, batches, commands, questions) => {
          const { file, sqlite } = await twoStores(context, client, async ({ store, clock }) => {
            await play(history, { store, clock, prefix: 'p' })
            for (const batch of [...batches, { pause_ms: 1, commands }]) {
              clock.advance(batch.pause_ms)
              await runBatch(store, batch.commands.map(elsewhere), (cause) => {
                throw cause
              })
            }
          })
          const known = knownIn(file)
          for (const { name, ask } of questions) {
            // One driver returns Buffers and the other Uint8Arrays; a clone makes them equal.
            const [expected, actual] = [await ask(sqlite, known), await ask(reader, known)].map((one) =>
              structuredClone(one),
            )
            assert.deepEqual(actual, expected, name)
          }
          const ref = pick(known.refs, history.length)
          assert.deepEqual(
            await collected(leavesOfWorkflow(readingFrom(pool), ref, known.size, 3)),
            await collected(sqlite.workflows.leaves(ref, known.size)),
            'leaves, three places at a time',
          )
          await sqlite.close()
        },
      ),
      { numRuns: Number(process.env.CONTRACT_HISTORIES ?? 6), endOnFailure: true },
    )
  })
})
