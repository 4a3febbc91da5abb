import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Claims } from '@deputize/protocol'
import { aDatabase, command as ask } from '@deputize/testing/a-database.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import fc from 'fast-check'
import type { Command, Reply } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { postgresWriteStore } from '../../src/store/postgres/write/write-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { anAuthorization } from '../an-authorization.ts'
import { storeRows } from '../e2e/audit-store.ts'
import { rootClaims } from '../root-claims.ts'

/** For a long run: HISTORIES=2000. */
const HISTORIES = Number(process.env.HISTORIES ?? 80)
const LIMIT_MS = 60_000 + 1_000 * HISTORIES
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000_000)
const STORES = 3
const RECORDS = 3

/** A command and its node. Numbers select among the objects of the history. */
interface Wish {
  readonly node: number
  readonly root: number
  readonly record: number
  readonly spend: number
  readonly key: number
  readonly do: (typeof WISHES)[number]
}

const WISHES = [
  'record',
  'record',
  'record',
  'authorize',
  'complete',
  'cancel',
  'rate',
  'revoke',
  'suspend',
  'resume',
] as const

const wish = fc.record({
  node: fc.nat(STORES - 1),
  root: fc.nat(1),
  record: fc.nat(RECORDS - 1),
  spend: fc.nat(3),
  key: fc.nat(5),
  do: fc.constantFrom(...WISHES),
})
const history = fc.array(wish, { minLength: 6, maxLength: 12, size: 'max' })

/** An executed command: when it was sent and answered, and the log size at which the store judged it. */
interface Done {
  readonly command: Command
  readonly reply: Reply
  readonly asked: number
  readonly answered: number
  /** The log size when it was judged. */
  readonly place: number
  readonly leaves: number
}

const clock = manualClock()
const options = { instance: 'histories', vault_key: TEST_VAULT_KEY, clock }
const url = await aDatabase({ after })
const hasty = new URL(url)
hasty.searchParams.set('options', '-c synchronous_commit=off')
const nodes: WriteStore[] = []
for (let number = 0; number < STORES; number += 1)
  nodes.push(
    await postgresWriteStore({
      ...options,
      url: hasty.href,
      writer_id: `node ${number}`,
      allow_unsafe: true,
      defers_sums: true,
    }),
  )
const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'deputy-histories-'))
const alone = sqliteWriteStore({ ...options, file: join(directory, 'deputy.db') })
after(async () => {
  for (const store of [...nodes, alone]) await store.close()
  rmSync(directory, { recursive: true, force: true })
})

let ticks = 0

/** Executes a command and notes the log size at which it was finally judged. */
async function carryOut(store: WriteStore, command: Command): Promise<Done> {
  let place = -1
  let leaves = 0
  const watched: WriteStore = {
    ...store,
    transact: (needs, judge) =>
      store.transact(needs, (facts) => {
        place = facts.frontier.size
        const judged = judge(facts)
        leaves = judged.changes.leaves.length
        return judged
      }),
  }
  const asked = ticks++
  const { replies } = await runBatch(watched, [command], (cause) => {
    throw cause
  })
  const [reply] = replies
  assert.ok(reply !== undefined)
  return { command, reply, asked, answered: ticks++, place, leaves }
}

/** Two roots with small budgets and few actions, and records that several commands will complete and rate. */
function beginning(name: string): Command[] {
  const roots = [0, 1].map((root) => aRoot(`vat_root_${name}r${root}`, name, root))
  const records = Array.from({ length: RECORDS }, (_, record) =>
    anAsk('authorize', `vat_root_${name}r${record % 2}`, `${name}x${record}`, 1),
  )
  return [...roots, ...records]
}

let statuses = 0

function aRoot(jti: string, name: string, root: number): Command {
  const iat = Math.floor(clock() / 1000)
  const claims: Claims = {
    ...rootClaims(jti, name, iat),
    svc_constraints: root === 0 ? { max_spend_usd: 0.000005 } : { max_actions: 4 },
  }
  const jwt_hash = `sha256:${jti}`
  return { kind: 'issue', claims, purpose: undefined, compact_jwt: '', jwt_hash, status_index: statuses++ }
}

function anAsk(
  kind: 'authorize' | 'record',
  vat_jti: string,
  suffix: string,
  spend_micro_usd: number,
): Command {
  const asked = anAuthorization({ suffix, vat_jti, spend_micro_usd })
  return kind === 'authorize'
    ? { kind: 'authorize', dry_run: false, pending_ttl_ms: 900_000, ...asked }
    : { kind: 'record_action', result: 'success', result_hash: undefined, ...asked }
}

function commandOf(wanted: Wish, name: string, number: number): Command {
  const vat_jti = `vat_root_${name}r${wanted.root}`
  const aar_id = `aar_${name}x${wanted.record}`
  const { spend, key } = wanted
  switch (wanted.do) {
    case 'record': {
      const asked = anAsk('record', vat_jti, `${name}c${number}`, spend)
      // Some share a key, so they all get the answer of the first.
      return key > 1
        ? asked
        : { ...asked, replay: { key: `${name}k${key}`, fingerprint: `${vat_jti} ${spend}` } }
    }
    case 'authorize':
      return anAsk('authorize', vat_jti, `${name}c${number}`, spend)
    case 'complete':
      return {
        kind: 'complete',
        aar_id,
        result: spend === 0 ? 'error' : 'success',
        result_hash: undefined,
        spend_micro_usd: spend,
        metadata: undefined,
        completion: `spent ${spend}`,
        evidence: spend === 0 ? 'observed' : 'self_reported',
      }
    case 'cancel':
      return { kind: 'cancel', aar_id, evidence: 'observed' }
    case 'rate':
      return {
        kind: 'rate',
        aar_id,
        rating: spend % 2 === 0 ? 'approved' : 'flagged',
        note: undefined,
        rater_assurance: 'L1',
      }
    case 'revoke':
      return { kind: 'revoke', vat_jti, reason: undefined }
    case 'suspend':
    case 'resume':
      return { kind: wanted.do, target: { vat_jti }, rank: 'operator', reason: undefined }
  }
}

/** Each node executes its commands in order, each as soon as its store has room. All nodes work at the same time. */
async function play(wishes: readonly Wish[], name: string): Promise<Done[]> {
  const [first] = nodes
  assert.ok(first !== undefined)
  const done: Done[] = []
  for (const command of beginning(name)) done.push(await carryOut(first, command))
  const commands = wishes.map((wanted, number) => ({
    node: wanted.node,
    command: commandOf(wanted, name, number),
  }))
  await Promise.all(
    nodes.map(async (store, node) => {
      const answers: Promise<Done>[] = []
      for (const { command } of commands.filter((one) => one.node === node)) {
        await store.room()
        answers.push(carryOut(store, command))
      }
      done.push(...(await Promise.all(answers)))
    }),
  )
  return done
}

/** Asserts that a command answered before another was sent comes first. */
function assertRealTime(done: readonly Done[]): void {
  for (const one of done)
    for (const other of done)
      if (one.answered < other.asked)
        assert.ok(
          one.place + one.leaves <= other.place,
          `${other.command.kind} was judged at ${other.place}, although ${one.command.kind} at ${one.place} was answered before`,
        )
}

/** Asserts that a single process gives the same answers to the same commands in the order of the log. */
async function assertLegal(done: readonly Done[]): Promise<void> {
  const order = done.toSorted(
    (a, b) => a.place - b.place || Number(a.leaves > 0) - Number(b.leaves > 0) || a.asked - b.asked,
  )
  for (const { command, reply, place, leaves } of order) {
    const again = await carryOut(alone, command)
    assert.deepEqual(
      unsalted(reply),
      unsalted(again.reply),
      `${command.kind} at ${place} was answered otherwise`,
    )
    assert.deepEqual([place, leaves], [again.place, again.leaves], `${command.kind} has another place`)
  }
}

/** The hash of a leaf covers its salt, which each store draws. */
function unsalted(reply: Reply): unknown {
  return JSON.parse(JSON.stringify(reply, (name, value) => (name === 'leaf_hash' ? undefined : value)))
}

/** Leaves out digests, for which each store has its own keys, and salts, which each store draws. */
function told(leaf: unknown): unknown {
  const members = Object.entries(JSON.parse(String(leaf)))
  return Object.fromEntries(members.filter(([name]) => !name.endsWith('_digest') && name !== 'salt'))
}

test(`${HISTORIES} concurrent histories on ${STORES} nodes match the order of the log`, {
  timeout: LIMIT_MS,
}, async (t) => {
  let commands = 0
  let refusals = 0
  for (const [number, wishes] of fc.sample(history, { numRuns: HISTORIES, seed: SEED }).entries()) {
    const name = `h${number}`
    try {
      const done = await play(wishes, name)
      assertRealTime(done)
      await assertLegal(done)
      commands += done.length
      refusals += done.filter(({ reply }) => 'refusal' in reply).length
    } catch (error) {
      throw new Error(
        `history ${number} of MODEL_SEED=${SEED} has no legal order: ${JSON.stringify(wishes)}`,
        {
          cause: error,
        },
      )
    }
  }
  const ours = await ask(url, 'SELECT leaf FROM leaves ORDER BY log_index')
  const theirs = storeRows(directory, 'SELECT leaf FROM leaves ORDER BY log_index')
  assert.deepEqual(
    ours.map(({ leaf }) => told(leaf)),
    theirs.map(({ leaf }) => told(leaf)),
  )
  t.diagnostic(
    `${commands} commands, ${refusals} of them refused, ${ours.length} leaves, seed ${SEED}, 0 violations`,
  )
})
