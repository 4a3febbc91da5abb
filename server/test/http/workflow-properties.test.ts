import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import fc from 'fast-check'

/** A call. Numbers refer to tokens and actions in the order of their creation. */
type Step =
  | { readonly kind: 'delegate'; readonly above: number; readonly agent: number }
  | {
      readonly kind: 'record'
      readonly token: number
      readonly cause: number | undefined
      readonly result: string
    }
  | { readonly kind: 'authorize'; readonly token: number; readonly cause: number | undefined }
  | { readonly kind: 'complete'; readonly action: number }
  | { readonly kind: 'rate'; readonly action: number }
  | { readonly kind: 'revoke'; readonly token: number }

/** The expected state, derived only from the answers. */
interface Known {
  readonly ref: string
  readonly human_ref: string
  readonly tokens: { jti: string; above: string; agent: string; isRevoked: boolean; path: string[] }[]
  readonly actions: {
    aar_id: string
    token: string
    agent: string
    cause: string | undefined
    state: string
    result?: string
    rating?: string
  }[]
}

const index = fc.nat(30)
const cause = fc.option(index, { nil: undefined })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('delegate' as const), above: index, agent: fc.nat(3) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      token: index,
      cause,
      result: fc.constantFrom('success', 'error'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('authorize' as const), token: index, cause }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const), action: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rate' as const), action: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), token: index }) },
)

const service = await aTestApp({ after })
const ACT = { action: 'read', resource: 'calendar:events' }

async function begin(): Promise<Known> {
  const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ actions: ['read', 'delegate'] }))
  const human_ref = body.claims.svc_human_ref
  const agent = 'agent:calendar-bot'
  const root = { jti: body.jti, above: human_ref, agent, isRevoked: false, path: [body.jti] }
  return { ref: body.provenance_ref, human_ref, tokens: [root], actions: [] }
}

const at = <T>(list: readonly T[], place: number): T | undefined => list[place % list.length]

/** Runs a step and records the answer. */
async function take(known: Known, one: Step): Promise<void> {
  const { tokens, actions } = known
  if (one.kind === 'complete' || one.kind === 'rate') {
    const action = at(actions, one.action)
    if (action === undefined) return
    const path = `/v1/vat/aar/${action.aar_id}`
    if (one.kind === 'rate') {
      if ((await service.post(`${path}/feedback`, { rating: 'approved' })).status === 200)
        action.rating = 'approved'
    } else if ((await service.post(`${path}/complete`, { result: 'partial' })).status === 200)
      Object.assign(action, { state: 'completed', result: 'partial' })
    return
  }
  const token = at(tokens, one.kind === 'delegate' ? one.above : one.token)
  assert.ok(token !== undefined)
  if (one.kind === 'revoke') {
    await service.post('/v1/vat/revoke', { vat_jti: token.jti })
    for (const each of tokens) if (each.path.includes(token.jti)) each.isRevoked = true
    return
  }
  if (one.kind === 'delegate') {
    const asked = { vat_jti: token.jti, agent_id: `helper-${one.agent}`, actions: ['read', 'delegate'] }
    const { status, body } = await service.post('/v1/vat/delegate', asked)
    if (status !== 201) return
    const path = [...token.path, body.jti]
    tokens.push({
      jti: body.jti,
      above: token.jti,
      agent: `agent:helper-${one.agent}`,
      isRevoked: false,
      path,
    })
    return
  }
  const parent = one.cause === undefined ? undefined : at(actions, one.cause)?.aar_id
  const asked = { vat_jti: token.jti, ...ACT, ...(parent !== undefined && { parent_aar_id: parent }) }
  const { body }: Answer =
    one.kind === 'record'
      ? await service.post('/v1/vat/record/action', { ...asked, result: one.result })
      : await service.post('/v1/vat/authorize', asked)
  if (body.aar_id === undefined) return
  actions.push({
    aar_id: body.aar_id,
    token: token.jti,
    agent: token.agent,
    cause: parent,
    ...(one.kind === 'record' ? { state: 'completed', result: one.result } : { state: 'pending' }),
  })
}

/** Reads all pages of a list. */
async function pagesOf(path: string): Promise<Answer['body'][]> {
  const pages: Answer['body'][] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await service.get(`${path}${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    pages.push(body)
    if (!body.has_more) return pages
    cursor = `&cursor=${body.next_cursor}`
  }
}

async function assertGraph({ ref, human_ref, tokens, actions }: Known, limit: number): Promise<void> {
  const pages = await pagesOf(`/v1/vat/aar/provenance/${ref}/graph?limit=${limit}`)
  const nodes = new Map<string, Answer['body']>()
  const edges = new Set<string>()
  for (const page of pages) {
    assert.equal(page.total_records, actions.length)
    assert.ok(page.nodes.filter(({ type }: { type: string }) => type === 'action').length <= limit)
    const here = new Set(page.nodes.map(({ id }: { id: string }) => id))
    for (const { type, from, to } of page.edges) {
      assert.ok(here.has(to) && (here.has(from) || (type === 'caused' && nodes.has(from))))
    }
    for (const node of page.nodes) nodes.set(node.id, node)
    for (const { type, from, to } of page.edges) edges.add(`${type} ${from} ${to}`)
  }
  const ids = [
    human_ref,
    ...tokens.flatMap(({ jti, agent }) => [jti, agent]),
    ...actions.map(({ aar_id }) => aar_id),
  ]
  assert.deepEqual(new Set(nodes.keys()), new Set(ids))
  for (const { jti, isRevoked } of tokens) assert.equal(nodes.get(jti).status, isRevoked ? 'revoked' : 'live')
  for (const { aar_id, state, result, rating } of actions) {
    const node = nodes.get(aar_id)
    assert.deepEqual([node.state, node.result, node.rating], [state, result, rating])
  }
  const expected = [
    ...tokens.flatMap(({ jti, above, agent }) => [`delegated ${above} ${jti}`, `delegated ${jti} ${agent}`]),
    ...actions.map(({ aar_id, agent }) => `performed ${agent} ${aar_id}`),
    ...actions.flatMap(({ aar_id, cause: from }) => (from === undefined ? [] : [`caused ${from} ${aar_id}`])),
  ]
  assert.deepEqual(edges, new Set(expected))
}

async function assertRecords({ ref, actions }: Known, limit: number): Promise<void> {
  const path = `/v1/vat/aar/provenance/${ref}/records?limit=${limit}`
  const named = (pages: Answer['body'][]) =>
    pages.flatMap(({ data }) => data.map((one: Answer['body']) => one.aar_id))
  const ids = actions.map(({ aar_id }) => aar_id)
  assert.deepEqual(named(await pagesOf(`${path}&order=oldest`)), ids)
  assert.deepEqual(named(await pagesOf(`${path}&order=newest`)), ids.toReversed())
  const errors = actions.filter(({ result }) => result === 'error').map(({ aar_id }) => aar_id)
  assert.deepEqual(named(await pagesOf(`${path}&order=oldest&result=error`)), errors)
  const helped = actions.filter(({ agent }) => agent === 'agent:helper-1').map(({ aar_id }) => aar_id)
  assert.deepEqual(named(await pagesOf(`${path}&order=oldest&agent_id=helper-1`)), helped)
  const pending = actions.filter(({ state }) => state === 'pending').map(({ aar_id }) => aar_id)
  assert.deepEqual(named(await pagesOf(`${path}&state=pending`)), pending.toReversed())
}

async function assertListed({ ref, human_ref, tokens, actions }: Known): Promise<void> {
  for (const agent of ['agent:calendar-bot', 'agent:helper-0', 'agent:helper-1']) {
    const path = `/v1/vat/workflows?limit=200&agent_id=${agent.slice('agent:'.length)}`
    const found = (await pagesOf(path)).flatMap(({ data }) => data).find((one) => one.provenance_ref === ref)
    assert.equal(
      found !== undefined,
      tokens.some((token) => token.agent === agent),
    )
    if (found === undefined) continue
    assert.deepEqual(
      [found.human_ref, found.agent_id, found.total_records, found.unique_agents],
      [human_ref, 'agent:calendar-bot', actions.length, new Set(actions.map((one) => one.agent)).size],
    )
    assert.equal('last_action_at' in found, actions.length > 0)
  }
}

describe('any workflow', () => {
  test('has the graph, the records and the list entry that follow from the calls made', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        async (steps, limit) => {
          const known = await begin()
          for (const one of steps) await take(known, one)
          await assertGraph(known, limit)
          await assertRecords(known, limit)
          await assertListed(known)
        },
      ),
      { numRuns: 40 },
    )
  })
})
