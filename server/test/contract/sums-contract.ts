import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Command, Reply } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { MAX_TOTAL_MICRO_USD } from '../../src/domain/budget.ts'
import { EVERY_TOKEN } from '../../src/store/port/filters.ts'
import { authorize, erase, issue, type OpenStore, rate, record, run } from './store-contract.ts'

/** The largest amount that a request can carry, in micro-dollars. */
const LARGEST = 1e15
const MANY = 40
const BEYOND_SAFE = 2n ** 53n + 7n
const PAGE = { limit: 100, before: undefined }

/**
 * The promises of every store about sums: the largest amount many times, and sums that exceeded the bound in older
 * versions.
 */
export function sumsContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, sums`, () => {
    test('the largest amount many times is refused at the bound, for every way to spend', async (context) => {
      const store = await open(context)
      await run(
        store,
        ['a', 'b', 'c', 'd'].map((one) => issue(one)),
      )
      const replies = await everyWayToSpend(store)
      const codes = new Set(replies.flatMap((reply) => ('refusal' in reply ? [reply.refusal.code] : [])))
      assert.deepEqual([...codes], ['spend_out_of_range'])
      for (const token of ['a', 'b', 'c', 'd']) {
        const total = await totalOf(store, token)
        assert.ok(total <= MAX_TOTAL_MICRO_USD, `${token} holds ${total}`)
        assert.ok(total > MAX_TOTAL_MICRO_USD - LARGEST, `${token} holds only ${total}`)
      }
      const after = await store.reopen()
      assert.ok((await after.reader.tokens(EVERY_TOKEN, PAGE)).entries.length === 4)
      await assertStoppable(after)
    })

    test('a batch keeps the items that fit and refuses the rest', async (context) => {
      const store = await open(context)
      await run(store, [issue('a')])
      const items = Array.from({ length: 12 }, (_, n) => record('a', `r${n}`, { spend_micro_usd: LARGEST }))
      const [reply] = await run(store, [{ kind: 'many', items }])
      assert.ok(reply !== undefined && 'outcome' in reply)
      const codes = (reply.outcome as Reply[]).map((one) => ('refusal' in one ? one.refusal.code : 'kept'))
      assert.deepEqual(codes, [...Array(9).fill('kept'), ...Array(3).fill('spend_out_of_range')])
      assert.equal(await totalOf(store, 'a'), MAX_TOTAL_MICRO_USD)
    })

    test('an action without a spend, a cheaper settlement and a release are never out of range', async (context) => {
      const store = await open(context)
      await run(store, [issue('a')])
      await run(
        store,
        Array.from({ length: 9 }, (_, n) => authorize('a', `p${n}`, LARGEST)),
      )
      const replies = await run(store, [
        record('a', 'r0'),
        complete('p0', 5),
        { kind: 'cancel', aar_id: 'aar_p1', evidence: 'self_reported' },
        complete('p2', LARGEST),
        rate('p2', 'approved'),
      ])
      assert.deepEqual(
        replies.map((reply) => 'outcome' in reply),
        Array(5).fill(true),
      )
      assert.equal(await totalOf(store, 'a'), 7 * LARGEST + 5)
    })

    test('tokens with sums beyond the safe integers are read, counted and stopped', async (context) => {
      const store = await open(context)
      await run(store, [
        issue('a', { agent: 'one' }),
        issue('b', { agent: 'two', human: 'sha256:other' }),
        issue('c', { agent: 'three', human: 'sha256:third' }),
        issue('d', { agent: 'four', human: 'sha256:fourth' }),
        ...['a', 'b', 'c', 'd'].map((one) => record(one, `r${one}`)),
        authorize('a', 'open', 7),
      ])
      for (const one of ['a', 'b', 'c', 'd']) await store.setSums(`vat_root_${one}`, BEYOND_SAFE)
      const swollen = await store.reopen()
      const { entries } = await swollen.reader.tokens(EVERY_TOKEN, PAGE)
      assert.deepEqual(
        entries.map(([{ state }]) => [state.spent_micro_usd, state.reserved_micro_usd]),
        Array(4).fill([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]),
      )
      const [spend, free, settled] = await run(swollen, [
        record('a', 'more', { spend_micro_usd: 1 }),
        record('a', 'free'),
        complete('open', undefined),
      ])
      assert.ok(spend !== undefined && 'refusal' in spend && spend.refusal.code === 'spend_out_of_range')
      assert.ok(free !== undefined && 'outcome' in free)
      assert.ok(settled !== undefined && 'outcome' in settled)
      await assertStoppable(swollen)
    })

    test("a row that can't be stored fails its own command, not those of other tenants", async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), issue('b', { tenant: 'acme', human: 'sha256:other' })])
      const bugs: unknown[] = []
      const bad = [1, 2, 3].map((n) => ({
        ...record('a', `bad${n}`),
        trace_id: { toString: null } as unknown as string, // neither driver can store it
      }))
      const good = Array.from({ length: 13 }, (_, n) => record('b', `good${n}`))
      const commands: Command[] = [...good.slice(0, 5), ...bad, ...good.slice(5)]
      const { replies } = await runBatch(store.writer, commands, (cause) => bugs.push(cause))
      assert.equal(bugs.length, 3)
      for (const [position, reply] of replies.entries())
        assert.equal(
          'bug' in reply,
          bad.some((one) => one === commands[position]),
          `reply ${position}`,
        )
      assert.equal((await store.reader.workflow('prov_b'))?.total_records, 13)
      assert.equal((await store.reader.workflow('prov_a'))?.total_records, 0)
      const [later] = await run(store, [record('a', 'later')])
      assert.ok(later !== undefined && 'outcome' in later)
    })

    test('a row that the database refuses fails its own command too', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), record('a', 'taken')])
      const bugs: unknown[] = []
      const commands = [record('a', 'r1'), record('a', 'taken'), record('a', 'r2')]
      const { replies, wrote } = await runBatch(store.writer, commands, (cause) => bugs.push(cause))
      assert.deepEqual(
        replies.map((reply) => 'outcome' in reply),
        [true, false, true],
      )
      assert.deepEqual([bugs.length, wrote], [1, true])
      assert.equal((await store.reader.workflow('prov_a'))?.total_records, 3)
    })
  })
}

async function everyWayToSpend(store: OpenStore): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let n = 0; n < MANY; n += 1) {
    const part = await run(store, [
      record('a', `a${n}`, { spend_micro_usd: LARGEST }),
      authorize('b', `b${n}`, LARGEST),
      authorize('c', `c${n}`, 0),
      complete(`c${n}`, LARGEST),
      { kind: 'many', items: [record('d', `d${n}`, { spend_micro_usd: LARGEST - n })] },
    ])
    replies.push(
      ...part.flatMap((reply) => ('outcome' in reply && isList(reply.outcome) ? reply.outcome : [reply])),
    )
  }
  return replies
}

function isList(outcome: unknown): outcome is Reply[] {
  return Array.isArray(outcome)
}

async function totalOf({ reader }: OpenStore, token: string): Promise<number> {
  const state = (await reader.chain(`vat_root_${token}`))?.[0].state
  assert.ok(state !== undefined)
  return state.spent_micro_usd + state.reserved_micro_usd
}

/** Asserts that every operation that stops something works on the tokens `a` to `d`. */
async function assertStoppable(store: OpenStore): Promise<void> {
  const stops: Command[] = [
    { kind: 'suspend', target: { vat_jti: 'vat_root_a' }, rank: 'operator', reason: undefined },
    { kind: 'revoke', vat_jti: 'vat_root_a', reason: 'it spends too much' },
    { kind: 'suspend', target: { agent_id: await agentOf(store, 'b') }, rank: 'operator', reason: undefined },
    { kind: 'revoke_all', owner: { agent_id: await agentOf(store, 'b') }, reason: undefined },
    { kind: 'revoke_all', owner: { human_ref: await humanOf(store, 'c') }, reason: undefined },
    erase(await humanOf(store, 'd')),
  ]
  for (const stop of stops) {
    const [reply] = await run(store, [stop])
    assert.ok(reply !== undefined && 'outcome' in reply, `${stop.kind}: ${JSON.stringify(reply)}`)
  }
  const later = await run(
    store,
    ['a', 'b', 'c', 'd'].map((one) => record(one, `after-${one}`)),
  )
  for (const reply of later) {
    assert.ok('outcome' in reply)
    assert.equal((reply.outcome as { allowed: boolean }).allowed, false)
  }
}

async function agentOf({ reader }: OpenStore, token: string): Promise<string> {
  return (await reader.chain(`vat_root_${token}`))?.[0].token.agent_id ?? assert.fail(token)
}

async function humanOf({ reader }: OpenStore, token: string): Promise<string> {
  return (await reader.chain(`vat_root_${token}`))?.[0].token.human_ref ?? assert.fail(token)
}

function complete(suffix: string, spend_micro_usd: number | undefined): Command {
  return {
    kind: 'complete',
    aar_id: `aar_${suffix}`,
    result: 'success',
    result_hash: undefined,
    spend_micro_usd,
    metadata: undefined,
    completion: suffix,
    evidence: 'self_reported',
  }
}
