import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type AuthorityError, append, type Claims, emptyFrontier, leafHash, rootOf } from '@deputize/protocol'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import fc from 'fast-check'
import type {
  AuthorizeCommand,
  Command,
  IssueCommand,
  RateCommand,
  RecordActionCommand,
  Reply,
} from '../../src/clerk/command.ts'
import { needsOf } from '../../src/clerk/judge.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { countCompleted, countCreated, countRated, emptyTally } from '../../src/domain/reputation.ts'
import { innerLimitsText } from '../../src/domain/tokens/inner-limits.ts'
import { canonicalDigest } from '../../src/operations/submit-command.ts'
import { EVERY_RECORD, type RecordFilter } from '../../src/store/port/filters.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { anAuthorization } from '../an-authorization.ts'

/** A store under test: its writer and reader, its clock, and access to its log. */
export interface OpenStore {
  readonly writer: WriteStore
  readonly reader: ReadStore
  readonly clock: ManualClock
  leaves(): Promise<{ log_index: number; leaf: string; leaf_hash: Uint8Array }[]>
  frontierRoot(): Promise<Uint8Array>
  /** True if a file that the store can clear contains these bytes. */
  holds(text: string | Buffer): Promise<boolean>
  /** The stored wrapped data keys. */
  wrappedKeys(): Promise<Buffer[]>
  /** Overwrites the stored metadata of one record with that of another. */
  moveMetadata(from_aar_id: string, to_aar_id: string): Promise<void>
  /** Moves an API key to another tenant directly in the database. */
  moveEntry(id: string, tenant_id: string): Promise<void>
  /** Sets a token's spent and reserved sums directly in the database. */
  setSums(jti: string, micro_usd: bigint): Promise<void>
  /** Closes the store and reopens it on the same data. */
  reopen(): Promise<OpenStore>
}

const FIRST_PAGE = { limit: 200, before: undefined }

/** The promises of every store. */
export function storeContract(
  name: string,
  open: (context: TestContext) => Promise<OpenStore>,
  /** Number of random histories that the store must survive. */
  histories: number,
): void {
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

    test('finds a token by itself as soon as it is issued, and its facts survive its revocation', async (context) => {
      const store = await open(context)
      assert.equal(await store.reader.standing.token('vat_root_a'), undefined)
      await run(store, [issue('a')])
      const issued = await store.reader.standing.token('vat_root_a')
      assert.deepEqual(issued, (await store.reader.chain('vat_root_a'))?.[0].token)
      await run(store, [{ kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined }])
      assert.deepEqual(await store.reader.standing.token('vat_root_a'), issued)
    })

    test('shows a command the effects of earlier commands in its batch', async (context) => {
      const store = await open(context)
      const [, , refused, answer] = await run(store, [
        issue('a'),
        { kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined },
        record('a', 'r1'),
        { kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined },
      ])
      assert.deepEqual(outcomeOf(refused).reasons, ['token_revoked'])
      assert.equal(outcomeOf(answer).already_revoked, true)
    })

    test('reads the inner limits of a token after a restart, but only for the clerk', async (context) => {
      const store = await open(context)
      await run(store, [issueL3('a', true), issueL3('b', false)])
      const reopened = await store.reopen()
      const [held, free] = await run(reopened, [
        record('a', 'r1', { action: 'send' }),
        record('b', 'r2', { action: 'send' }),
      ])
      assert.deepEqual(outcomeOf(held).reasons, ['approval_required'])
      assert.equal(outcomeOf(free).allowed, true)
      assert.equal((await reopened.reader.chain('vat_root_a'))?.[0].token.inner_limits, undefined)
      await run(reopened, [{ kind: 'release', vat_jti: 'vat_root_a' }])
      const [released] = await run(await reopened.reopen(), [record('a', 'r3', { action: 'send' })])
      assert.equal(outcomeOf(released).allowed, true)
    })

    test('issues no L3 token without inner limits, and no other token with them', async (context) => {
      const store = await open(context)
      const bugs: unknown[] = []
      const l3 = issueL3('a', false)
      const commands = [
        { ...l3, inner_limits: undefined },
        { ...issue('b'), inner_limits: l3.inner_limits },
      ]
      const { replies } = await runBatch(store.writer, commands, (cause) => bugs.push(cause))
      assert.ok(replies.every((reply) => 'bug' in reply))
      assert.equal(bugs.length, 2)
      assert.deepEqual(await store.leaves(), [])
    })

    test('leaves no trace of a failed transaction', async (context) => {
      const store = await open(context)
      await run(store, [issue('a')])
      const before = (await store.leaves()).length
      await assert.rejects(async () =>
        store.writer.transact(needsOf([]), () => {
          throw new Error('a bug in a judge')
        }),
      )
      assert.equal((await store.leaves()).length, before)
      assert.deepEqual(outcomeOf((await run(store, [record('a', 'r1')]))[0]).allowed, true)
    })

    test('refuses a command without affecting the rest of its batch', async (context) => {
      const store = await open(context)
      const replies = await run(store, [issue('a'), record('unknown', 'r1'), record('a', 'r2')])
      assert.equal(refusalOf(replies[1]).code, 'token_unknown')
      assert.equal(outcomeOf(replies[2]).allowed, true)
    })

    test('processes the rest of a batch when one command hits a bug', async (context) => {
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

    test('never changes a rating', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), record('a', 'r1')])
      await run(store, [rate('r1', 'approved')])
      const [again] = await run(store, [rate('r1', 'rejected')])
      assert.equal(refusalOf(again).code, 'rating_immutable')
      assert.equal((await store.reader.record('aar_r1'))?.rating?.rating, 'approved')
    })

    test('repeats the answer to a repeated request, and refuses its key for another request', async (context) => {
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

    test('repeats an answer that the same request would no longer get', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', fingerprint: 'f' }
      await run(store, [issue('a'), record('a', 'r1')])
      const [rated] = await run(store, [{ ...rate('r1', 'approved'), replay }])
      const [refused] = await run(store, [{ ...rate('r1', 'approved'), replay: { ...replay, key: 'l' } }])
      const [repeated] = await run(store, [{ ...rate('r1', 'approved'), replay }])
      assert.equal(refusalOf(refused).code, 'rating_immutable')
      assert.deepEqual(repeated, { ...JSON.parse(JSON.stringify(rated)), replayed: true })
    })

    test('finds a request under either key that its answer may be stored under', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', ordered_key: '0199a.k', fingerprint: 'f' }
      const fromEarlierVersion = { key: 'l', fingerprint: 'f' }
      await run(store, [
        issue('a'),
        { ...record('a', 'r1'), replay },
        { ...record('a', 'r2'), replay: fromEarlierVersion },
      ])
      const reopened = await store.reopen()
      const answers = await run(reopened, [
        { ...record('a', 'r3'), replay },
        { ...record('a', 'r4'), replay },
        { ...record('a', 'r5'), replay: { ...fromEarlierVersion, ordered_key: '0199b.l' } },
        { ...record('a', 'r6'), replay: { ...replay, ordered_key: '0199a.m', key: 'm' } },
        { ...record('a', 'r7'), replay: { ...replay, ordered_key: '0199a.m', key: 'm' } },
      ])
      const ids = answers.map((answer) => outcomeOf(answer).aar_id)
      assert.deepEqual(ids, ['aar_r1', 'aar_r1', 'aar_r2', 'aar_r6', 'aar_r6'])
    })

    test('forgets an idempotency key after a day', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', fingerprint: 'f' }
      await run(store, [issue('a', { lifetime_s: 30 * 86_400 }), { ...record('a', 'r1'), replay }])
      store.clock.advance(24 * 3600 * 1000)
      await run(store, [{ kind: 'sweep', limit: 10 }])
      const [later] = await run(store, [{ ...record('a', 'r2'), replay }])
      assert.equal(outcomeOf(later).aar_id, 'aar_r2')
    })

    test('stores personal data encrypted, and decrypts it for readers', async (context) => {
      const store = await open(context)
      await run(store, everyWord('a'))
      assert.deepEqual(await wordsOf(store, 'a'), { ...WORDS, erased: false })
      for (const word of Object.values(WORDS)) assert.equal(await store.holds(word), false, word)
      assert.deepEqual(await wordsOf(await store.reopen(), 'a'), { ...WORDS, erased: false })
    })

    test('erases a person permanently, without changing other people or the log', async (context) => {
      const store = await open(context)
      await run(store, [...everyWord('a'), ...everyWord('b', { human: 'sha256:other' })])
      const before = await store.leaves()
      const [wrapped] = await store.wrappedKeys()
      assert.ok(wrapped !== undefined && (await store.holds(wrapped)))
      const [erased] = await run(store, [erase('sha256:someone')])
      assert.equal(outcomeOf(erased).already_erased, false)
      assert.equal(await store.holds(wrapped), false)
      assert.deepEqual((await store.leaves()).slice(0, before.length), before)
      await assertLog(store)
      const assertErased = async (seen: OpenStore) => {
        assert.deepEqual(await wordsOf(seen, 'a'), { ...NO_WORDS, erased: true })
        assert.deepEqual(await wordsOf(seen, 'b'), { ...WORDS, erased: false })
        assert.equal((await seen.reader.record('aar_ra'))?.action, 'read')
      }
      await assertErased(store)
      await assertErased(await store.reopen())
    })

    test('revokes the tokens of an erased person, and erases only once', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), issue('b')])
      const [first] = await run(store, [erase('sha256:someone')])
      assert.equal(outcomeOf(first).revoked_count, 2)
      const [refused, second] = await run(store, [record('a', 'r1'), erase('sha256:someone')])
      assert.deepEqual(outcomeOf(refused).reasons, ['token_revoked'])
      assert.deepEqual(outcomeOf(second), {
        ...outcomeOf(first),
        already_erased: true,
        revoked_count: 0,
      })
      assert.equal(refusalOf((await run(store, [erase('sha256:nobody')]))[0]).code, 'human_unknown')
    })

    test('gives a returning person a new key: new texts are readable, old ones are not', async (context) => {
      const store = await open(context)
      await run(store, everyWord('a'))
      await run(store, [erase('sha256:someone'), ...everyWord('b')])
      assert.deepEqual(await wordsOf(store, 'a'), { ...NO_WORDS, erased: true })
      assert.deepEqual(await wordsOf(store, 'b'), { ...WORDS, erased: false })
      const [again] = await run(store, [erase('sha256:someone')])
      assert.deepEqual([outcomeOf(again).already_erased, outcomeOf(again).revoked_count], [false, 1])
      assert.deepEqual(await wordsOf(store, 'b'), { ...NO_WORDS, erased: true })
    })

    test('logs a text as digests that differ between people and after an erasure', async (context) => {
      const store = await open(context)
      await run(store, [...everyWord('a'), ...everyWord('b', { human: 'sha256:other' })])
      await run(store, [erase('sha256:someone'), ...everyWord('c')])
      const texts = (await store.leaves()).map(({ leaf }) => leaf)
      for (const name of ['note_digest', 'metadata_digest', 'reason_digest', 'purpose_digest']) {
        const digests = texts.flatMap((leaf) => JSON.parse(leaf)[name] ?? [])
        assert.ok(digests.length >= 3, name)
        assert.equal(new Set(digests).size, digests.length, name)
      }
    })

    test('does not decrypt a value that was moved to another row', async (context) => {
      const store = await open(context)
      await run(store, [
        issue('a'),
        record('a', 'r1', { metadata: '{"of":"r1"}' }),
        record('a', 'r2', { metadata: '{"of":"r2"}' }),
      ])
      await store.moveMetadata('aar_r1', 'aar_r2')
      await assert.rejects(store.reader.record('aar_r2'), /was found in the wrong place/)
      assert.equal((await store.reader.record('aar_r1'))?.metadata, '{"of":"r1"}')
    })

    test('answers a repeated batch of two people until one of them is erased', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', fingerprint: 'f' }
      const batch = (suffix: string): Command => ({
        kind: 'many',
        replay,
        items: [
          record('a', `a${suffix}`, { metadata: '{"of":"a"}' }),
          record('b', `b${suffix}`, { metadata: '{"of":"b"}' }),
        ],
      })
      await run(store, [issue('a'), issue('b', { human: 'sha256:other' })])
      const [first] = await run(store, [batch('1')])
      const [second] = await run(store, [batch('2')])
      assert.deepEqual(outcomeOf(second), JSON.parse(JSON.stringify(outcomeOf(first))))
      const [erased, third] = await run(store, [erase('sha256:other'), batch('3')])
      assert.equal(outcomeOf(erased).revoked_count, 1)
      const [ofA, ofB] = outcomeOf(third)
      assert.deepEqual([ofA.outcome.aar_id, ofB.outcome.reasons], ['aar_a3', ['token_revoked']])
    })

    test('forgets stored answers of an erased person', async (context) => {
      const store = await open(context)
      const replay = { key: 'k', fingerprint: 'f' }
      const [first] = await run(store, [{ ...issue('a'), replay }])
      assert.equal(await store.holds(outcomeOf(first).compact_jwt), false)
      const [second] = await run(store, [{ ...issue('b'), replay }])
      assert.equal(outcomeOf(second).jti, 'vat_root_a')
      await run(store, [erase('sha256:someone')])
      const [third] = await run(store, [{ ...issue('c'), replay }])
      assert.equal(outcomeOf(third).jti, 'vat_root_c')
    })

    test('completes pending records after an erasure, with or without new texts', async (context) => {
      const store = await open(context)
      await run(store, [
        issue('a'),
        { ...authorize('a', 'r1', 0), metadata: '{"of":"r1"}' },
        { ...authorize('a', 'r2', 0), metadata: '{"of":"r2"}' },
      ])
      await run(store, [erase('sha256:someone')])
      await run(store, [complete('r1', 'success', undefined), complete('r2', 'success', '{"new":1}')])
      const [r1, r2] = [await store.reader.record('aar_r1'), await store.reader.record('aar_r2')]
      assert.deepEqual([r1?.state, r1?.metadata, r1?.erased], ['completed', undefined, true])
      assert.deepEqual([r2?.state, r2?.metadata, r2?.erased], ['completed', '{"new":1}', false])
    })

    test('closes a record the same way whether this process or an earlier one wrote it', async (context) => {
      const store = await open(context)
      const asked = (suffix: string) => ({
        ...authorize('a', suffix, 2_000_000),
        parent_aar_id: 'aar_above',
        trace_id: 'ab'.repeat(16),
      })
      await run(store, [issue('a', { max_spend_usd: 9 }), record('a', 'above'), asked('r1'), asked('r2')])
      await run(store, [
        { ...rate('r1', 'flagged'), note: 'why' },
        { ...rate('r2', 'flagged'), note: 'why' },
      ])
      await run(store, [asked('r3'), asked('r4')])
      const remembered = await run(store, [
        complete('r1', 'success', undefined),
        complete('r3', 'success', undefined),
      ])
      const read = await run(await store.reopen(), [
        complete('r2', 'success', undefined),
        complete('r4', 'success', undefined),
      ])
      const comparable = (reply: Reply | undefined) => {
        const { aar_id, log_index, leaf_hash, completed_log_index, rated_log_index, ...rest } =
          outcomeOf(reply)
        assert.ok(completed_log_index > log_index, aar_id)
        assert.match(leaf_hash, /^sha256:/)
        return { ...rest, is_rated: rated_log_index > log_index }
      }
      assert.deepEqual(remembered.map(comparable), read.map(comparable))
      assert.deepEqual([comparable(read[0]).note, comparable(read[1]).rating], ['why', undefined])
    })

    test('expires pending records on time and releases their reservations', async (context) => {
      const store = await open(context)
      await run(store, [issue('a', { max_spend_usd: 1 }), authorize('a', 'r1', 1_000_000)])
      store.clock.advance(60_000)
      await run(store, [{ kind: 'sweep', limit: 10 }])
      assert.equal((await store.reader.record('aar_r1'))?.state, 'expired')
      assert.equal((await store.reader.chain('vat_root_a'))?.[0].state.reserved_micro_usd, 0)
    })

    test('never goes back in time in the log', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), record('a', 'r1')])
      store.clock.advance(-60_000)
      await run(await store.reopen(), [record('a', 'r2')])
      const times = (await store.leaves()).map(({ leaf }) => JSON.parse(leaf).at)
      assert.deepEqual([...times].sort(), times)
    })

    test('stores who reported the outcome of a record, and logs it unless it was the agent', async (context) => {
      const store = await open(context)
      const observed = { evidence: 'observed' } as const
      await run(store, [
        issue('a'),
        record('a', 'own'),
        record('a', 'seen', observed),
        ...['own', 'seen'].flatMap((by) => ['own', 'seen', 'none'].map((end) => opened(by, end))),
        complete('own_own', 'success', undefined),
        complete('seen_own', 'success', undefined),
        { ...complete('own_seen', 'success', undefined), ...observed },
        { ...complete('seen_seen', 'success', undefined), ...observed },
      ])
      function opened(by: string, end: string): Command {
        return { ...authorize('a', `${by}_${end}`, 0), ...(by === 'seen' && observed) }
      }
      const words = async (ids: readonly string[]) =>
        Promise.all(ids.map(async (id) => (await store.reader.record(`aar_${id}`))?.evidence))
      const of_agents = ['own', 'own_own', 'seen_own', 'own_none']
      const of_others = ['seen', 'own_seen', 'seen_seen', 'seen_none']
      assert.deepEqual(new Set(await words(of_agents)), new Set(['self_reported']))
      assert.deepEqual(new Set(await words(of_others)), new Set(['observed']))

      store.clock.advance(60_001)
      await run(store, [{ kind: 'sweep', limit: 10 }])
      assert.deepEqual(await words(['own_none', 'seen_none']), ['self_reported', 'observed'])

      const told = (await store.leaves()).map(({ leaf }) => JSON.parse(leaf))
      const mentions = told.filter(({ evidence }) => evidence !== undefined)
      assert.deepEqual(
        mentions.map(({ aar_id, type, evidence }) => `${aar_id} ${type} ${evidence}`),
        [
          'aar_seen action.recorded observed',
          'aar_seen_own action.authorized observed',
          'aar_seen_seen action.authorized observed',
          'aar_seen_none action.authorized observed',
          'aar_own_seen action.completed observed',
          'aar_seen_seen action.completed observed',
        ],
      )
    })

    test('pages through any filter without a gap or a repeat', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), issue('b', { agent: 'other' })])
      for (let i = 0; i < 30; i++) {
        store.clock.advance(1000)
        await run(store, [
          record(i % 3 === 0 ? 'b' : 'a', `r${i}`, {
            result: i % 5 === 0 ? 'error' : 'success',
            evidence: i % 4 === 0 ? 'observed' : 'self_reported',
          }),
        ])
      }
      await run(store, [rate('r4', 'flagged'), rate('r9', 'flagged'), rate('r6', 'approved')])
      const ids = async (filter: Partial<RecordFilter>) =>
        (await pageThrough(store, { ...EVERY_RECORD, ...filter }, 4)).map((id) => Number(id.slice(5)))
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
      assert.deepEqual(
        await ids({ evidence: 'observed' }),
        all.filter((i) => i % 4 === 0),
      )
      assert.deepEqual(
        await ids({ evidence: 'self_reported', agent_id: 'other' }),
        all.filter((i) => i % 4 !== 0 && i % 3 === 0),
      )
      assert.deepEqual(await ids({ evidence: 'countersigned' }), [])
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
        { numRuns: histories },
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
export function outcomeOf(reply: Reply | undefined): any {
  assert.ok(reply !== undefined && 'outcome' in reply, JSON.stringify(reply))
  return reply.outcome
}

export function refusalOf(reply: Reply | undefined) {
  assert.ok(reply !== undefined && 'refusal' in reply, JSON.stringify(reply))
  return reply.refusal satisfies { code: AuthorityError['code'] }
}

const WORDS = {
  purpose: 'canary of a purpose',
  metadata: '{"canary":"metadata"}',
  note: 'canary of a note',
  reason: 'canary of a reason',
}
const NO_WORDS = { purpose: undefined, metadata: undefined, note: undefined, reason: undefined }

/** A token with a purpose, a rated record with metadata and a note, and a reason why the token ended. */
export function everyWord(name: string, options: IssueOptions = {}): Command[] {
  return [
    { ...issue(name, options), purpose: WORDS.purpose },
    record(name, `r${name}`, { metadata: WORDS.metadata }),
    { ...rate(`r${name}`, 'approved'), note: WORDS.note },
    issue(`${name}-kept`, options),
    { kind: 'revoke', vat_jti: `vat_root_${name}`, reason: WORDS.reason },
  ]
}

async function wordsOf({ reader }: OpenStore, name: string) {
  const jti = `vat_root_${name}`
  const words = (await reader.words([jti])).get(jti)
  const found = await reader.record(`aar_r${name}`)
  assert.equal(words?.erased, found?.erased)
  return {
    purpose: words?.purpose,
    metadata: found?.metadata,
    note: found?.rating?.note,
    reason: words?.revoke_reason,
    erased: words?.erased,
  }
}

export function erase(human_ref: string): Command {
  return { kind: 'erase_human', human_ref }
}

function complete(suffix: string, result: string, metadata: string | undefined): Command {
  return {
    kind: 'complete',
    aar_id: `aar_${suffix}`,
    result,
    result_hash: undefined,
    spend_micro_usd: undefined,
    metadata,
    completion: suffix,
    evidence: 'self_reported',
  }
}

interface IssueOptions {
  tenant?: string
  agent?: string
  human?: string
  max_spend_usd?: number
  lifetime_s?: number
}

let statusIndex = 0
const START_S = Date.parse('2027-01-01T00:00:00Z') / 1000

export function issue(
  name: string,
  { tenant, agent = 'bot', human = 'sha256:someone', max_spend_usd, lifetime_s = 86_400 }: IssueOptions = {},
): IssueCommand {
  const claims: Claims = {
    iss: 'urn:deputy:open:test',
    sub: `agent:${agent}`,
    iat: START_S,
    nbf: START_S,
    exp: START_S + lifetime_s,
    jti: `vat_root_${name}`,
    ...(tenant !== undefined && { svc_tenant: tenant }),
    svc_trust_score: 0.4,
    svc_scope: { resources: ['mail:*'], actions: ['read', 'send'] },
    svc_assurance_level: 'L1',
    svc_human_ref: human,
    svc_provenance_ref: `prov_${name}`,
    svc_delegation_depth: 0,
    svc_root_jti: `vat_root_${name}`,
    ...(max_spend_usd !== undefined && { svc_constraints: { max_spend_usd } }),
  }
  return {
    kind: 'issue',
    claims,
    purpose: undefined,
    compact_jwt: `x.y.signature-of-${name}`,
    jwt_hash: 'sha256:x',
    status_index: statusIndex++,
  }
}

function issueL3(name: string, holds: boolean): IssueCommand {
  const { claims, ...command } = issue(name)
  const inner_limits = innerLimitsText({ holds, above_micro_usd: undefined }, `salt of ${name}`)
  return { ...command, claims: { ...claims, svc_assurance_level: 'L3' }, inner_limits }
}

const AUTHORIZATION = anAuthorization({ resource: 'mail:inbox', approval_ttl_ms: 60_000 })

export function record(
  token: string,
  suffix: string,
  changes: Partial<
    Pick<
      RecordActionCommand,
      'result' | 'action' | 'resource' | 'spend_micro_usd' | 'parent_aar_id' | 'metadata' | 'evidence'
    >
  > = {},
): RecordActionCommand {
  return {
    kind: 'record_action',
    ...AUTHORIZATION,
    suffix,
    vat_jti: `vat_root_${token}`,
    result: 'success',
    result_hash: undefined,
    ...changes,
  }
}

export function authorize(token: string, suffix: string, spend_micro_usd: number): AuthorizeCommand {
  return {
    kind: 'authorize',
    ...AUTHORIZATION,
    suffix,
    vat_jti: `vat_root_${token}`,
    spend_micro_usd,
    dry_run: false,
    pending_ttl_ms: 60_000,
  }
}

export function rate(suffix: string, rating: 'approved' | 'flagged' | 'rejected'): RateCommand {
  return {
    kind: 'rate',
    aar_id: `aar_${suffix}`,
    rating,
    note: undefined,
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
const evidence = fc.constantFrom('self_reported' as const, 'observed' as const)

/** Random commands on three tokens, two agents and two budgets; many of them are refused on purpose. */
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
        evidence,
      )
      .map(([t, s, result, action, spend_micro_usd, evidence]) =>
        record(t, s, { result, action, spend_micro_usd, evidence }),
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(token, target, spending, evidence)
      .map(([t, s, spend, evidence]) => ({ ...authorize(t, s, spend), evidence })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(target, fc.constantFrom('success', 'error'), fc.option(spending, { nil: undefined }), evidence)
      .map(([s, result, spend_micro_usd, evidence]) => ({
        kind: 'complete' as const,
        aar_id: `aar_${s}`,
        result,
        result_hash: undefined,
        spend_micro_usd,
        metadata: undefined,
        completion: canonicalDigest([result, spend_micro_usd ?? null]),
        evidence,
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(target, evidence)
      .map(([s, evidence]) => ({ kind: 'cancel' as const, aar_id: `aar_${s}`, evidence })),
  },
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

/** Data that is stored twice must agree: counters with records, budgets with records, the log with itself. */
async function assertConsistent(store: OpenStore): Promise<void> {
  const { entries: records } = await store.reader.records(EVERY_RECORD, FIRST_PAGE)
  const told = (await store.leaves()).map(({ leaf }) => JSON.parse(leaf))
  for (const one of records) {
    const isExpired = one.state === 'expired'
    const speaking = told[isExpired ? one.log_index : (one.completed_log_index ?? one.log_index)]
    assert.equal(one.evidence, speaking.evidence ?? 'self_reported')
  }
  for (const agent of ['bot', 'other']) {
    const tally = emptyTally()
    for (const one of records.filter(({ agent_id }) => agent_id === agent)) {
      countCreated(tally)
      if (one.result !== undefined) countCompleted(tally, { ...one, result: one.result })
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
  await assertLog(store)
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy([...names].sort(), (name) => name)].map(([name, group]) => [name, group.length]),
  )
}

async function assertLog(store: OpenStore): Promise<void> {
  const frontier = emptyFrontier()
  for (const [index, { log_index, leaf, leaf_hash }] of (await store.leaves()).entries()) {
    assert.equal(log_index, index)
    assert.deepEqual(Buffer.from(leaf_hash), Buffer.from(leafHash(leaf)))
    assert.doesNotMatch(leaf, /vat_root_/)
    append(frontier, leaf_hash)
  }
  assert.deepEqual(Buffer.from(await store.frontierRoot()), Buffer.from(rootOf(frontier)))
}
