import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { EVERY_RECORD, EVERY_TOKEN } from '../../src/store/port/filters.ts'
import type { Page, PageRequest } from '../../src/store/port/pages.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { issue, type OpenStore, record, run } from './store-contract.ts'

const PAGE = { limit: 100, before: undefined }
const EVERY_WORKFLOW = { ...EVERY_RECORD, human_ref: undefined, agent_id: undefined }

/** The promises of every store about lists for people: rules, totals and the people listed. */
export function listsContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, lists`, () => {
    test('counts what a filter matches', async (context) => {
      const { reader } = await filled(await open(context))
      const total = (count: number) => ({ count, is_exact: true })
      assert.deepEqual(await reader.countTokens(EVERY_TOKEN), total(9))
      assert.deepEqual(await reader.countTokens({ ...EVERY_TOKEN, tenant_id: 'acme' }), total(3))
      assert.deepEqual(await reader.countTokens({ ...EVERY_TOKEN, agent_id: 'nobody' }), total(0))
      assert.deepEqual(await reader.countAgents({ tenant_id: undefined }), total(4))
      assert.deepEqual(await reader.countAgents({ tenant_id: 'default' }), total(3))
      assert.deepEqual(await reader.countAgents({ tenant_id: 'nobody' }), total(0))
      assert.deepEqual(await reader.workflows.count(EVERY_WORKFLOW), total(9))
      assert.deepEqual(await reader.workflows.count({ ...EVERY_WORKFLOW, agent_id: 'bot1' }), total(2))
      const ofTwo = { ...EVERY_WORKFLOW, agent_id: 'bot1', human_ref: 'sha256:p1' }
      assert.deepEqual(await reader.workflows.count(ofTwo), total(2))
      assert.deepEqual(await reader.workflows.count({ ...ofTwo, human_ref: 'sha256:p2' }), total(0))
      assert.deepEqual(await reader.countDenials(EVERY_RECORD), total(3))
      assert.deepEqual(await reader.countApprovals({ ...EVERY_RECORD, state: 'pending' }, 0), total(0))
    })

    test('finds denials by reason, action and resource', async (context) => {
      const { reader } = await filled(await open(context))
      const found = async (filter: object) =>
        (await reader.denials({ ...EVERY_RECORD, ...filter }, PAGE)).entries.map(({ denial_id }) => denial_id)
      const nothing = { action: undefined, resource: undefined }
      assert.deepEqual(await found(nothing), ['den_d3', 'den_d2', 'den_d1'])
      assert.deepEqual(await found({ ...nothing, reason: 'token_revoked' }), ['den_d3'])
      assert.deepEqual(await found({ ...nothing, reason: 'action_not_in_scope' }), ['den_d2', 'den_d1'])
      assert.deepEqual(await found({ ...nothing, reason: 'rate_limit' }), [])
      assert.deepEqual(await found({ action: 'delete', resource: undefined }), ['den_d2', 'den_d1'])
      assert.deepEqual(await found({ action: undefined, resource: 'mail:archive' }), ['den_d2'])
      assert.deepEqual(await found({ action: 'never', resource: undefined }), [])
      assert.deepEqual(await reader.countDenials({ ...EVERY_RECORD, reason: 'token_revoked' }), {
        count: 1,
        is_exact: true,
      })
    })

    test('pages through what a rule allows without gaps or repeats', async (context) => {
      const { reader } = await filled(await open(context))
      const isOdd = (text: string) => Number(text.at(-1)) % 2 === 1
      for (const limit of [1, 2, 3, 100]) {
        const tokens = await everyPage(limit, (page) =>
          reader.tokens({ ...EVERY_TOKEN, fits: ([{ token }]) => isOdd(token.jti) }, page),
        )
        assert.deepEqual(
          tokens.map(([{ token }]) => token.jti),
          [7, 5, 3, 1].map((n) => `vat_root_t${n}`),
          `${limit} tokens a page`,
        )
        const agents = await everyPage(limit, (page) =>
          reader.agents({ tenant_id: undefined, fits: ({ agent_id }) => isOdd(agent_id) }, page),
        )
        assert.deepEqual(
          agents.map(({ agent_id }) => agent_id),
          ['bot1'],
        )
      }
      const none = await reader.tokens({ ...EVERY_TOKEN, fits: () => false }, PAGE)
      assert.deepEqual(none, { entries: [], before: undefined })
    })

    test('reads several chains at once, each the same as when read alone', async (context) => {
      const { reader } = await filled(await open(context))
      const chains = await reader.chains(['vat_root_t1', 'vat_root_unknown', 'vat_root_t2'])
      assert.deepEqual([...chains.keys()], ['vat_root_t1', 'vat_root_t2'])
      for (const [jti, chain] of chains) assert.deepEqual(chain, await reader.chain(jti))
      assert.deepEqual(await reader.chains([]), new Map())
    })

    test('returns the root of each workflow and its position in the list', async (context) => {
      const { reader } = await filled(await open(context))
      const entries = await everyPage(50, (page) => reader.workflows.list(EVERY_WORKFLOW, page))
      assert.ok(entries.length > 5)
      assert.ok(
        entries.every(({ root_jti, provenance_ref }) => root_jti.slice(9) === provenance_ref.slice(5)),
      )
      const places = entries.map(({ position }) => position)
      assert.deepEqual(
        places,
        [...places].sort((a, b) => b - a),
      )
      const after = await everyPage(1, ({ limit, before = places[3] }) =>
        reader.workflows.list(EVERY_WORKFLOW, { limit, before }),
      )
      assert.deepEqual(after, entries.slice(4))
    })

    test('lists the people of a tenant with their tokens and what waits for them', async (context) => {
      const store = await filled(await open(context))
      await assertPeople(store.reader, store.clock())
      const { reader } = await store.reopen()
      await assertPeople(reader, store.clock())
      for (const limit of [1, 2]) {
        const people = await everyPage(limit, (page) =>
          reader.people({ tenant_id: 'default' }, page, store.clock()),
        )
        assert.deepEqual(
          people.map(({ human_ref }) => human_ref),
          ['sha256:p2', 'sha256:p1', 'sha256:p0'],
        )
      }
    })

    test('counts the tokens of agents that have not expired and were not revoked themselves', async (context) => {
      const store = await filled(await open(context))
      const { reader, clock } = store
      const live = async () =>
        Object.fromEntries(await reader.liveTokens(['bot0', 'bot1', 'acme:bot0'], clock()))
      assert.deepEqual(await live(), { bot0: 1, bot1: 2, 'acme:bot0': 3 })
      await run(store, [{ kind: 'revoke_all', owner: { agent_id: 'bot1' }, reason: undefined }])
      assert.deepEqual(await live(), { bot0: 1, bot1: 0, 'acme:bot0': 3 })
      clock.advance(86_400_000)
      assert.deepEqual(await live(), { bot0: 0, bot1: 0, 'acme:bot0': 0 })
    })

    test('finds everyone for whom an agent holds a token in force, whatever the size of the page', async (context) => {
      const store = await filled(await open(context))
      const { reader, clock } = store
      const people = async (agent_id: string, limit: number) => [
        ...new Set(await everyPage(limit, (page) => reader.peopleOfAgent(agent_id, clock(), page))),
      ]
      for (let n = 1; n < 4; n += 1)
        await run(store, [issue(`u${n}`, { agent: 'bot0', human: `sha256:p${n}` })])
      for (const limit of [1, 2, 3, 100]) {
        const found = ['sha256:p3', 'sha256:p2', 'sha256:p1', 'sha256:p0']
        assert.deepEqual(await people('bot0', limit), found, `${limit} tokens a page`)
        assert.deepEqual(await people('acme:bot0', limit), ['sha256:theirs'])
        assert.deepEqual(await people('nobody', limit), [])
      }
      await run(store, [
        { kind: 'revoke', vat_jti: 'vat_root_u3', reason: undefined },
        { kind: 'revoke_all', owner: { human_ref: 'sha256:p2' }, reason: undefined },
      ])
      assert.deepEqual(await people('bot0', 2), ['sha256:p1', 'sha256:p0'])
      await run(store, [{ kind: 'revoke_all', owner: { agent_id: 'bot0' }, reason: undefined }])
      assert.deepEqual(await people('bot0', 2), [])
      clock.advance(86_400_000)
      assert.deepEqual(await people('acme:bot0', 2), [])
    })
  })
}

/**
 * Three agents and three people of the default tenant with two tokens each, and one agent and person of another tenant.
 * One token is revoked.
 */
async function filled(store: OpenStore): Promise<OpenStore> {
  for (let n = 0; n < 6; n += 1)
    await run(store, [issue(`t${n}`, { agent: `bot${n % 3}`, human: `sha256:p${n % 3}` })])
  for (let n = 6; n < 9; n += 1)
    await run(store, [issue(`t${n}`, { tenant: 'acme', agent: 'bot0', human: 'sha256:theirs' })])
  await run(store, [
    record('t1', 'd1', { action: 'delete' }),
    record('t2', 'd2', { action: 'delete', resource: 'mail:archive' }),
    { kind: 'revoke', vat_jti: 'vat_root_t0', reason: undefined },
    record('t0', 'd3'),
  ])
  return store
}

async function assertPeople(reader: ReadStore, now_ms: number): Promise<void> {
  const shown = async (tenant_id: string | undefined) =>
    (await reader.people({ tenant_id }, PAGE, now_ms)).entries.map(
      ({ human_ref, tokens, live_tokens, waiting, assurance_levels }) => [
        human_ref,
        tokens,
        live_tokens,
        waiting,
        assurance_levels.join(),
      ],
    )
  const ours = [
    ['sha256:p2', 2, 2, 0, 'L1'],
    ['sha256:p1', 2, 2, 0, 'L1'],
    ['sha256:p0', 2, 1, 0, 'L1'],
  ]
  const theirs = [['sha256:theirs', 3, 3, 0, 'L1']]
  assert.deepEqual(await shown('default'), ours)
  assert.deepEqual(await shown('acme'), theirs)
  assert.deepEqual(await shown('nobody'), [])
  assert.deepEqual(await shown(undefined), [...theirs, ...ours])
}

async function everyPage<T>(limit: number, read: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  let before: number | undefined
  do {
    const page = await read({ limit, before })
    assert.ok(page.entries.length <= limit)
    all.push(...page.entries)
    before = page.before
  } while (before !== undefined)
  return all
}
