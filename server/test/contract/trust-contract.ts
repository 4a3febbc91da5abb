import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Command, VouchCommand } from '../../src/clerk/command.ts'
import { EVERY_VOUCH } from '../../src/store/port.ts'
import { erase, issue, type OpenStore, outcomeOf, refusalOf, run } from './store-contract.ts'

const FIRST_PAGE = { limit: 100, before: undefined }
const ANNA = 'sha256:anna'
const BERT = 'sha256:bert'

function vouch(name: string, changes: Partial<VouchCommand> = {}): VouchCommand {
  return {
    kind: 'vouch',
    vouch_id: `vch_${name}`,
    tenant_id: 'default',
    from: ANNA,
    own_refs: [ANNA],
    to: BERT,
    weight: 500_000,
    context: name,
    note: undefined,
    expires_at_ms: undefined,
    ...changes,
  }
}

const withdraw = (name: string): Command => ({
  kind: 'withdraw_vouch',
  vouch_id: `vch_${name}`,
  by: 'person',
})

async function withPeople(context: TestContext, open: (context: TestContext) => Promise<OpenStore>) {
  const store = await open(context)
  await run(store, [issue('a', { human: ANNA, agent: 'annas' }), issue('b', { human: BERT, agent: 'berts' })])
  return store
}

/** The promises of every store about vouches, anchors and scores. */
export function trustContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, trust`, () => {
    test('shows a vouch as soon as it is acknowledged, and after a restart', async (context) => {
      const store = await withPeople(context, open)
      const [made] = await run(store, [vouch('one', { note: 'a note', expires_at_ms: 9e12 })])
      const { vouch: wanted } = outcomeOf(made)
      assert.deepEqual({ ...(await store.reader.trust.vouch('vch_one')) }, { ...wanted })
      assert.equal(wanted.note, 'a note')
      const { reader } = await store.reopen()
      assert.deepEqual({ ...(await reader.trust.vouch('vch_one')) }, { ...wanted })
    })

    test('refuses the second of two equal vouches in one batch, and takes it after a withdrawal', async (context) => {
      const store = await withPeople(context, open)
      const [, second] = await run(store, [
        vouch('one', { context: undefined }),
        vouch('two', { context: undefined }),
      ])
      assert.equal(refusalOf(second).code, 'vouch_exists')
      const replies = await run(store, [withdraw('one'), vouch('three', { context: undefined })])
      for (const reply of replies) outcomeOf(reply)
      const { entries } = await store.reader.trust.vouches({ ...EVERY_VOUCH, from: ANNA }, FIRST_PAGE)
      assert.deepEqual(
        entries.map(({ vouch_id, ended_index }) => [vouch_id, ended_index !== undefined]),
        [
          ['vch_three', false],
          ['vch_one', true],
        ],
      )
    })

    test('pages through vouches by either end, newest first', async (context) => {
      const store = await withPeople(context, open)
      await run(
        store,
        ['a', 'b', 'c'].map((one) => vouch(one)),
      )
      await run(store, [withdraw('b')])
      const { trust } = store.reader
      const first = await trust.vouches({ ...EVERY_VOUCH, to: BERT }, { limit: 2, before: undefined })
      assert.deepEqual(
        first.entries.map(({ vouch_id }) => vouch_id),
        ['vch_c', 'vch_b'],
      )
      const rest = await trust.vouches({ ...EVERY_VOUCH, to: BERT }, { limit: 2, before: first.before })
      assert.deepEqual([rest.entries.map(({ vouch_id }) => vouch_id), rest.before], [['vch_a'], undefined])
      const standing = { ...EVERY_VOUCH, from: ANNA, standing_at_ms: store.clock() }
      assert.equal((await trust.vouches(standing, FIRST_PAGE)).entries.length, 2)
      assert.deepEqual((await trust.vouches({ ...EVERY_VOUCH, tenant_id: 'acme' }, FIRST_PAGE)).entries, [])
    })

    test('knows whether an agent ever acted for a person, by any token', async (context) => {
      const store = await withPeople(context, open)
      const own = { to: 'agent:annas', context: undefined }
      const [before] = await run(store, [vouch('own', own)])
      assert.deepEqual(
        [refusalOf(before).code, refusalOf(before).members.reason],
        ['cannot_vouch', 'own_agent'],
      )
      await run(store, [{ kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined }])
      const [after] = await run(store, [vouch('own', own)])
      assert.equal(refusalOf(after).code, 'cannot_vouch')
      const [others] = await run(store, [vouch('other', { ...own, to: 'agent:berts' })])
      outcomeOf(others)
    })

    test('ends vouches from and to an erased person and removes the notes about them', async (context) => {
      const store = await withPeople(context, open)
      await run(store, [
        vouch('given', { note: 'canary of a note given' }),
        vouch('got', { from: BERT, own_refs: [BERT], to: ANNA, note: 'canary of a note got' }),
        { kind: 'name_anchor', tenant_id: 'default', human_ref: ANNA, base: 1, reason: 'canary of a reason' },
      ])
      const [reply] = await run(store, [erase(ANNA)])
      outcomeOf(reply)
      const { trust } = store.reader
      const [given, got] = [await trust.vouch('vch_given'), await trust.vouch('vch_got')]
      assert.deepEqual([given?.note, given?.erased, got?.note], [undefined, true, undefined])
      assert.ok(given?.ended_index !== undefined && given.ended_index === got?.ended_index)
      assert.deepEqual((await trust.anchors({ tenant_id: undefined }, FIRST_PAGE)).entries, [])
      assert.equal(await store.holds('canary of a'), false)
    })

    test('gives the leaves that change the graph, and the time of the newest leaf', async (context) => {
      const store = await withPeople(context, open)
      await run(store, [
        vouch('one'),
        {
          kind: 'begin_session',
          session_key: 's',
          tenant_id: 'default',
          human_ref: ANNA,
          assurance_level: 'L2',
        },
        withdraw('one'),
        issue('c', { human: ANNA, agent: 'annas' }),
      ])
      const { leaves, log_size, last_ms } = await store.reader.trust.leaves(0, 100)
      assert.deepEqual(
        leaves.map(({ text }) => JSON.parse(text).type),
        ['vouch.made', 'session.begun', 'vouch.withdrawn'],
      )
      assert.deepEqual([log_size, last_ms], [6, store.clock()])
      const [, second] = leaves
      const page = await store.reader.trust.leaves(second?.log_index ?? 0, 1)
      assert.deepEqual(page.leaves, [second])
    })

    test('keeps a score that is asked for, and never an older one', async (context) => {
      const store = await withPeople(context, open)
      const { trust } = store.reader
      const keep = (score: number, log_size: number): Command => ({
        kind: 'keep_scores',
        scores: [{ agent_id: 'berts', score, log_size }],
      })
      await run(store, [keep(7, 1)])
      assert.deepEqual(await trust.askedScores('', 10), [], 'nobody asks for it')
      const asking = issue('d', { human: BERT, agent: 'berts' })
      const claims = { ...asking.claims, svc_constraints: { min_vouch_score: 0.5 } }
      await run(store, [{ ...asking, claims }])
      await run(store, [keep(7, 3)])
      await run(store, [keep(8, 2), keep(9, 99)])
      const [asked] = await trust.askedScores('', 10)
      assert.deepEqual(asked, { agent_id: 'berts', asked_index: 2, kept: { score: 7, log_size: 3 } })
      assert.deepEqual(await trust.askedScores('berts', 10), [])
    })
  })
}
