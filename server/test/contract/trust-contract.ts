import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { applyLeaf, endReplay } from '../../src/check/replay/apply-leaf.ts'
import { newReplayState } from '../../src/check/replay/expected.ts'
import type { Command, Reply, VouchCommand } from '../../src/clerk/command.ts'
import type { Leaf } from '../../src/log/leaf.ts'
import { EVERY_VOUCH } from '../../src/store/port/filters.ts'
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

const OWN_HISTORIES = Number(process.env.CONTRACT_HISTORIES ?? 6)
/** Two people, two addresses that may turn out to be theirs, and two agents. */
const PEOPLE = ['ann', 'bob', 'ann@x', 'bob@x'] as const
const AGENTS = ['one', 'two'] as const
const step = fc.record({
  what: fc.constantFrom('vouch', 'vouch', 'vouch', 'token', 'own', 'link', 'erase'),
  person: fc.constantFrom(...PEOPLE),
  to: fc.constantFrom(...PEOPLE, ...AGENTS),
  context: fc.constantFrom(undefined, 'code'),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The vouches that are open after a history according to the rules, computed from scratch after each command. */
class OwnWorld {
  readonly #prefix: string
  readonly #acted = new Set<string>()
  readonly #owners = new Map<string, string>()
  readonly #links = new Map<string, string>()
  #vouches: { vouch_id: string; from: string; to: string }[] = []
  #made = 0

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  has(subject: string): boolean {
    return subject.replace('agent:', '').startsWith(`${this.#prefix}-`)
  }

  openVouches(): string[] {
    return this.#vouches.map(({ vouch_id }) => vouch_id).sort()
  }

  /** Makes every person known through an agent that receives no vouches. */
  start(): Command[] {
    const agents = AGENTS.map((agent) => this.#token(this.#named('carl'), agent))
    return [...PEOPLE.map((person) => this.#token(this.#named(person), `bot-of-${person}`)), ...agents]
  }

  command({ what, person, to, context }: Step): Command {
    const human_ref = this.#named(person)
    const agent = AGENTS.find((one) => one === to) ?? 'one'
    if (what === 'token') return this.#token(human_ref, agent)
    if (what === 'own')
      return {
        kind: 'register_agent',
        agent_id: this.#named(agent),
        profile: {},
        must_exist: true,
        owned_by: [`human:${human_ref}`],
      }
    if (what === 'link')
      return {
        kind: 'register',
        entry_kind: 'identity',
        id: this.#named(to.startsWith('bob') ? 'bob@x' : 'ann@x'),
        tenant_id: 'default',
        owner: this.#named(person.startsWith('bob') ? 'bob' : 'ann'),
        document: '{}',
        expects: 'absent',
      }
    if (what === 'erase') return erase(human_ref)
    const subject = to === agent ? `agent:${this.#named(agent)}` : this.#named(to)
    this.#made += 1
    return vouch(`${this.#prefix}_${this.#made}`, { from: human_ref, to: subject, context })
  }

  note(command: Command, reply: Reply | undefined): void {
    if (reply === undefined || !('outcome' in reply)) return
    if (command.kind === 'vouch') this.#vouches.push(command)
    if (command.kind === 'issue') this.#acted.add(`${command.claims.sub} ${command.claims.svc_human_ref}`)
    if (command.kind === 'register_agent')
      this.#owners.set(`agent:${command.agent_id}`, String(command.owned_by?.[0]).slice('human:'.length))
    if (command.kind === 'register') this.#links.set(command.id, String(command.owner))
    if (command.kind === 'erase_human') this.#forget(command.human_ref)
    this.#vouches = this.#vouches.filter((one) => !this.#isOwn(one))
  }

  /** Erases the person under all of their refs. */
  #forget(human_ref: string): void {
    const person = this.#links.get(human_ref) ?? human_ref
    const refs = [human_ref, person]
    for (const [address, owner] of this.#links)
      if (owner === person) {
        refs.push(address)
        this.#links.delete(address)
      }
    this.#vouches = this.#vouches.filter(({ from, to }) => !refs.includes(from) && !refs.includes(to))
  }

  #isOwn({ from, to }: { readonly from: string; readonly to: string }): boolean {
    const person = (ref: string) => this.#links.get(ref) ?? ref
    const refs = PEOPLE.map((one) => this.#named(one)).filter((ref) => person(ref) === person(from))
    return refs.some((ref) => ref === to || this.#owners.get(to) === ref || this.#acted.has(`${to} ${ref}`))
  }

  #named(name: string): string {
    return `${this.#prefix}-${name}`
  }

  #token(human: string, agent: string): Command {
    this.#made += 1
    const command = issue(`${this.#prefix}_${this.#made}`, { human, agent: this.#named(agent) })
    this.#acted.add(`${command.claims.sub} ${human}`)
    return command
  }
}

/** The violations that `deputy check` finds in the leaves of a store. */
async function violationsOf(store: OpenStore): Promise<string[]> {
  const replay = newReplayState()
  const leaves = await store.leaves()
  const found = leaves.flatMap(({ leaf: text, log_index }) => {
    const leaf: Leaf = JSON.parse(text)
    return applyLeaf(leaf, { log_index, at_ms: Date.parse(leaf.at) }, replay).violations
  })
  return [...found, ...endReplay(replay).violations]
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

    test('refuses the second of two equal vouches in one batch, and accepts it after a withdrawal', async (context) => {
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

    test('knows whether an agent has ever acted for a person, with any token', async (context) => {
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

    test("ends vouches for what becomes the voucher's own, and no others, after any history", async (context) => {
      const store = await open(context)
      let histories = 0
      const property = fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 8 }),
        async (all) => {
          histories += 1
          const world = new OwnWorld(`h${histories}`)
          await run(store, world.start())
          for (const steps of all) {
            const commands = steps.map((one) => world.command(one))
            const replies = await run(store, commands)
            for (const [index, command] of commands.entries()) world.note(command, replies[index])
            const { entries } = await store.reader.trust.vouches(EVERY_VOUCH, {
              limit: 500,
              before: undefined,
            })
            const open = entries.filter(({ ended_index, to }) => ended_index === undefined && world.has(to))
            assert.deepEqual(open.map(({ vouch_id }) => vouch_id).sort(), world.openVouches())
          }
        },
      )
      await fc.assert(property, { numRuns: OWN_HISTORIES })
      assert.deepEqual(await violationsOf(store), [])
    })

    test('ends vouches from and to an erased person and removes the notes about them', async (context) => {
      const store = await withPeople(context, open)
      await run(store, [
        vouch('given', { note: 'canary of a note given' }),
        vouch('got', { from: BERT, to: ANNA, note: 'canary of a note got' }),
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

    test("keeps an erased person's anchor with base 0, without its reason, until it is removed", async (context) => {
      const store = await withPeople(context, open)
      await run(store, [
        { kind: 'name_anchor', tenant_id: 'default', human_ref: ANNA, base: 0, reason: 'canary of a reason' },
      ])
      const listed = async () =>
        (await store.reader.trust.anchors({ tenant_id: undefined }, FIRST_PAGE)).entries.map(
          ({ human_ref, base, reason }) => ({ human_ref, base, reason }),
        )
      const [first] = await run(store, [erase(ANNA)])
      const [again] = await run(store, [erase(ANNA)])
      assert.deepEqual([outcomeOf(first).already_erased, outcomeOf(again).already_erased], [false, true])
      assert.deepEqual(await listed(), [{ human_ref: ANNA, base: 0, reason: undefined }])
      assert.equal(await store.holds('canary of a'), false)
      await run(store, [{ kind: 'remove_anchor', human_ref: ANNA }])
      assert.deepEqual(await listed(), [])
      assert.deepEqual(await violationsOf(store), [])
    })

    test('returns the leaves that change the graph, and the time of the newest leaf', async (context) => {
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

    test('keeps a score that a token asks for, and never replaces it with an older one', async (context) => {
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
