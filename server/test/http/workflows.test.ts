import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { GraphEdge, GraphNode } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const READ = { action: 'read', resource: 'calendar:events' }

interface Issued {
  readonly jti: string
  readonly provenance_ref: string
}

async function aRoot(service: TestApp, changes: Record<string, unknown> = {}): Promise<Issued> {
  const request = anIssueRequest({ actions: ['read', 'write', 'delegate'], ...changes })
  const { status, body } = await service.post('/v1/vat/issue/l1', request)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function aChild(service: TestApp, vat_jti: string, agent_id: string): Promise<Issued> {
  const actions = ['read', 'delegate']
  const { status, body } = await service.post('/v1/vat/delegate', { vat_jti, agent_id, actions })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

async function aRecord(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const asked = { vat_jti, ...READ, result: 'success', ...changes }
  const { status, body } = await service.post('/v1/vat/record/action', asked)
  assert.equal(status, 200, JSON.stringify(body))
  return body.aar_id as string
}

interface Graph {
  readonly nodes: GraphNode[]
  readonly edges: GraphEdge[]
}

/** All pages, each of which must be valid on its own. */
async function graphOf(service: TestApp, ref: string, limit = 500): Promise<Graph & { pages: number }> {
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, GraphEdge>()
  const actions = new Set<string>()
  let cursor = ''
  for (let pages = 1; ; pages++) {
    const { status, body } = await service.get(`/v1/vat/aar/provenance/${ref}/graph?limit=${limit}${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    assertWellFormed(body, actions)
    for (const node of body.nodes) nodes.set(node.id, node)
    for (const edge of body.edges) edges.set(JSON.stringify(edge), edge)
    if (!body.has_more) return { nodes: [...nodes.values()], edges: [...edges.values()], pages }
    cursor = `&cursor=${body.next_cursor}`
  }
}

/** Every edge ends at nodes of its page, except that a cause may be on an earlier page. */
function assertWellFormed({ nodes, edges }: Graph, earlier: Set<string>): void {
  const ids = new Set(nodes.map(({ id }) => id))
  assert.equal(ids.size, nodes.length, 'a node is repeated on its page')
  for (const { type, from, to, token } of edges) {
    assert.ok(ids.has(from) || (type === 'caused' && earlier.has(from)), `${type} from nowhere`)
    assert.ok(ids.has(to), `${type} to nowhere`)
    if (type === 'performed') assert.ok(token !== undefined && ids.has(token))
  }
  for (const { id, type } of nodes) {
    if (type !== 'action') continue
    assert.ok(!earlier.has(id), 'an action is shown on two pages')
    earlier.add(id)
  }
}

const ofType = <T extends GraphNode['type']>(nodes: readonly GraphNode[], type: T) =>
  nodes.filter((node): node is Extract<GraphNode, { type: T }> => node.type === type)

const between = ({ edges }: Graph, type: GraphEdge['type']) =>
  edges.filter((edge) => edge.type === type).map(({ from, to }) => [from, to])

describe('GET /v1/vat/workflows', () => {
  test('lists workflows, newest first, with their totals', async (t) => {
    const service = await aTestApp(t)
    const first = await aRoot(service)
    service.clock.advance(1000)
    const second = await aRoot(service, { agent_id: 'mail-bot' })
    service.clock.advance(1000)
    await aRecord(service, first.jti)
    const { body } = await service.get('/v1/vat/workflows')
    const [newer, older] = body.data
    assert.deepEqual([body.data.length, body.has_more, body.next_cursor], [2, false, null])
    assert.deepEqual(
      [newer.provenance_ref, older.provenance_ref],
      [second.provenance_ref, first.provenance_ref],
    )
    assert.deepEqual(
      { ...older, human_ref: typeof older.human_ref },
      {
        provenance_ref: first.provenance_ref,
        human_ref: 'string',
        agent_id: 'agent:calendar-bot',
        assurance_level: 'L1',
        created_at: '2027-01-01T00:00:00.000Z',
        total_records: 1,
        unique_agents: 1,
        last_action_at: '2027-01-01T00:00:02.000Z',
        state: 'open',
        spent_usd: 0,
        reserved_usd: 0,
      },
    )
    assert.equal('last_action_at' in newer, false)
  })

  test('filters by person, by any agent and by time, in pages', async (t) => {
    const service = await aTestApp(t)
    const refs: string[] = []
    for (let i = 0; i < 5; i++) {
      const { jti, provenance_ref } = await aRoot(service, { developer_email: `dev${i % 2}@example.com` })
      if (i > 2) await aChild(service, jti, 'helper')
      refs.unshift(provenance_ref)
      service.clock.advance(1000)
    }
    const find = async (query: string) => (await service.get(`/v1/vat/workflows?${query}`)).body
    const named = ({ data }: { data: Issued[] }) => data.map(({ provenance_ref }) => provenance_ref)
    assert.deepEqual(named(await find('agent_id=helper')), refs.slice(0, 2))
    assert.deepEqual(named(await find('agent_id=nobody')), [])
    const { human_ref } = (await find('limit=1')).data[0]
    assert.deepEqual(named(await find(`human_ref=${human_ref}`)), [refs[0], refs[2], refs[4]])
    assert.deepEqual(named(await find(`human_ref=${human_ref}&agent_id=helper`)), [refs[0]])
    assert.deepEqual(named(await find('from=2027-01-01T00:00:01Z&to=2027-01-01T00:00:03Z')), refs.slice(2, 4))
    const page = await find('limit=2')
    assert.deepEqual([named(page), page.has_more], [refs.slice(0, 2), true])
    assert.deepEqual(named(await find(`limit=3&cursor=${page.next_cursor}`)), refs.slice(2))
    const bad = await service.get('/v1/vat/workflows?cursor=listWorkflows.u1')
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '?cursor'])
  })
})

describe('GET /v1/vat/aar/provenance/{ref}/records', () => {
  test('returns the records of one workflow in either order', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref } = await aRoot(service)
    const other = await aRoot(service)
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.push(await aRecord(service, jti, { result: i % 2 === 0 ? 'success' : 'error' }))
      await aRecord(service, other.jti)
      service.clock.advance(1000)
    }
    const find = async (query: string) =>
      (await service.get(`/v1/vat/aar/provenance/${provenance_ref}/records?${query}`)).body
    const named = ({ data }: { data: { aar_id: string }[] }) => data.map(({ aar_id }) => aar_id)
    assert.deepEqual(named(await find('')), ids.toReversed())
    assert.deepEqual(named(await find('order=newest&result=error')), [ids[3], ids[1]])
    assert.deepEqual(named(await find('order=oldest&result=error')), [ids[1], ids[3]])
    assert.deepEqual(named(await find('order=oldest&from=2027-01-01T00:00:02Z')), ids.slice(2))
    assert.deepEqual(named(await find('order=oldest&to=2027-01-01T00:00:02Z')), ids.slice(0, 2))
    assert.deepEqual(named(await find('order=oldest&agent_id=nobody')), [])
    const page = await find('order=oldest&limit=2')
    assert.deepEqual([named(page), page.has_more], [ids.slice(0, 2), true])
    assert.deepEqual(named(await find(`order=oldest&limit=3&cursor=${page.next_cursor}`)), ids.slice(2))
    assert.deepEqual((await find('order=oldest')).data[0], (await service.get(`/v1/vat/aar/${ids[0]}`)).body)
  })

  test('refuses a cursor of the other order and an unknown workflow', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref } = await aRoot(service)
    for (let i = 0; i < 3; i++) await aRecord(service, jti)
    const path = `/v1/vat/aar/provenance/${provenance_ref}/records`
    const { next_cursor } = (await service.get(`${path}?limit=1`)).body
    const up = (await service.get(`${path}?limit=1&order=oldest`)).body.next_cursor
    for (const query of [
      `order=oldest&cursor=${next_cursor}`,
      `cursor=${up}`,
      'cursor=nonsense',
      'cursor=listWorkflowRecords.nonsense',
    ]) {
      const bad = await service.get(`${path}?${query}`)
      assert.deepEqual([bad.status, bad.body.errors?.[0].pointer], [400, '?cursor'], query)
    }
    const unknown = await service.get('/v1/vat/aar/provenance/prov_x/records')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'workflow_unknown'])
  })
})

describe('GET /v1/vat/aar/provenance/{ref}/graph', () => {
  test('shows the person, the token and its agent for a workflow without actions', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref } = await aRoot(service, { constraints: { max_spend_usd: 3 } })
    const { body } = await service.get(`/v1/vat/aar/provenance/${provenance_ref}/graph`)
    const human_ref = ofType(body.nodes, 'human')[0]?.human_ref ?? ''
    assert.deepEqual(body, {
      provenance_ref,
      nodes: [
        { id: human_ref, type: 'human', human_ref, assurance_level: 'L1' },
        { id: 'agent:calendar-bot', type: 'agent', agent_id: 'agent:calendar-bot' },
        {
          id: jti,
          type: 'token',
          jti,
          agent_id: 'agent:calendar-bot',
          delegation_depth: 0,
          scope: { resources: ['calendar:events', 'email:read'], actions: ['read', 'write', 'delegate'] },
          issued_at: '2027-01-01T00:00:00.000Z',
          expires_at: '2027-01-02T00:00:00.000Z',
          status: 'live',
          constraints: { max_spend_usd: 3 },
        },
      ],
      edges: [
        { type: 'delegated', from: human_ref, to: jti },
        { type: 'delegated', from: jti, to: 'agent:calendar-bot' },
      ],
      total_records: 0,
      next_cursor: null,
      has_more: false,
    })
  })

  test('shows all members of an action', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref } = await aRoot(service)
    const aar_id = await aRecord(service, jti, { spend_usd: 0.25, result: 'partial' })
    await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'flagged' })
    const graph = await graphOf(service, provenance_ref)
    assert.deepEqual(ofType(graph.nodes, 'action'), [
      {
        id: aar_id,
        type: 'action',
        aar_id,
        ...READ,
        state: 'completed',
        result: 'partial',
        spend_usd: 0.25,
        trust_score: 0.4,
        rating: 'flagged',
        created_at: '2027-01-01T00:00:00.000Z',
        completed_at: '2027-01-01T00:00:00.000Z',
      },
    ])
    assert.deepEqual(
      graph.edges.filter(({ type }) => type === 'performed'),
      [{ type: 'performed', from: 'agent:calendar-bot', to: aar_id, token: jti }],
    )
  })

  test('shows denials, approvals and ratings as nodes across pages if they are requested', async (t) => {
    const service = await aTestApp(t)
    const constraints = { require_approval: { actions: ['write'] } }
    const { jti, provenance_ref } = await aRoot(service, { actions: ['read', 'write'], constraints })
    const first = await aRecord(service, jti)
    await service.post(`/v1/vat/aar/${first}/feedback`, { rating: 'approved', note: 'well done' })
    const denied = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ, action: 'fly' })
    const write = { vat_jti: jti, ...READ, action: 'write' }
    const { approval_id } = (await service.post('/v1/vat/authorize', write)).body
    await service.post(`/v1/vat/approvals/${approval_id}/approve`, {})
    const used = await service.post('/v1/vat/authorize', { ...write, approval_id })
    const { denial_id } = denied.body
    const created_at = '2027-01-01T00:00:00.000Z'
    const about = { resource: READ.resource, spend_usd: 0, created_at }
    const nodes = new Map<string, unknown>()
    const edges: unknown[] = []
    let cursor = ''
    do {
      const page = `/v1/vat/aar/provenance/${provenance_ref}/graph?limit=1&expand=ratings,denials,approvals${cursor}`
      const { body } = await service.get(page)
      for (const node of body.nodes) nodes.set(node.id, node)
      edges.push(...body.edges)
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    assert.deepEqual(nodes.get(denial_id), {
      ...{ id: denial_id, type: 'denial', denial_id, action: 'fly', reason: 'action_not_in_scope' },
      ...about,
    })
    assert.deepEqual(nodes.get(approval_id), {
      ...{ id: approval_id, type: 'approval', approval_id, action: 'write', state: 'approved' },
      ...{ ...about, decided_at: created_at, used_by: used.body.aar_id },
    })
    assert.deepEqual(nodes.get(`rating:${first}`), {
      ...{ id: `rating:${first}`, type: 'rating', aar_id: first, rating: 'approved', created_at },
      rater_assurance: 'none',
    })
    const agent = 'agent:calendar-bot'
    for (const edge of [
      { type: 'denied', from: agent, to: denial_id, token: jti },
      { type: 'asked', from: agent, to: approval_id, token: jti },
      { type: 'rated', from: `rating:${first}`, to: first },
    ])
      assert.equal(edges.filter((one) => JSON.stringify(one) === JSON.stringify(edge)).length, 1, edge.type)
    const plain = await graphOf(service, provenance_ref)
    assert.deepEqual(
      plain.nodes.filter(({ type }) => ['denial', 'approval', 'rating'].includes(type)),
      [],
    )
  })

  test('shows the whole chain above an action five delegations deep', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const chain = [root.jti]
    for (let depth = 1; depth <= 5; depth++)
      chain.push((await aChild(service, chain.at(-1) ?? '', `agent-${depth}`)).jti)
    await aRecord(service, chain.at(-1) ?? '')
    const graph = await graphOf(service, root.provenance_ref)
    const tokens = ofType(graph.nodes, 'token')
    assert.deepEqual(
      chain.map((jti) => tokens.find(({ id }) => id === jti)?.delegation_depth),
      [0, 1, 2, 3, 4, 5],
    )
    const delegated = between(graph, 'delegated')
    for (const [depth, jti] of chain.entries()) {
      const from = depth === 0 ? ofType(graph.nodes, 'human')[0]?.id : chain[depth - 1]
      assert.deepEqual(
        delegated.filter(([, to]) => to === jti),
        [[from, jti]],
      )
    }
    assert.deepEqual(ofType(graph.nodes, 'agent').length, 6)
  })

  test('shows the status of tokens below a revoked and a suspended one', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const revoked = await aChild(service, root.jti, 'a')
    const below = await aChild(service, revoked.jti, 'b')
    const suspended = await aChild(service, root.jti, 'c')
    const live = await aChild(service, root.jti, 'd')
    await aRecord(service, below.jti)
    await service.post('/v1/vat/revoke', { vat_jti: revoked.jti })
    await service.post(`/v1/vat/tokens/${suspended.jti}/suspend`, {})
    const statuses = async () => {
      const { nodes } = await graphOf(service, root.provenance_ref)
      const tokens = ofType(nodes, 'token')
      return [root, revoked, below, suspended, live].map(
        ({ jti }) => tokens.find(({ id }) => id === jti)?.status,
      )
    }
    assert.deepEqual(await statuses(), ['live', 'revoked', 'revoked', 'suspended', 'live'])
    service.clock.advance(2 * 3600 * 1000)
    assert.deepEqual(await statuses(), ['live', 'revoked', 'revoked', 'expired', 'expired'])
  })

  test('follows causes across agents and pages, and contains every token after the last page', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti, 'helper')
    const idle = await aChild(service, root.jti, 'idle')
    const ids: string[] = []
    for (let i = 0; i < 7; i++) {
      const cause = i === 0 ? {} : { parent_aar_id: ids[Math.floor((i - 1) / 2)] }
      ids.push(await aRecord(service, i % 2 === 0 ? root.jti : child.jti, cause))
    }
    for (const limit of [1, 3, 7, 2000]) {
      const graph = await graphOf(service, root.provenance_ref, limit)
      assert.deepEqual(
        between(graph, 'caused'),
        [1, 2, 3, 4, 5, 6].map((i) => [ids[Math.floor((i - 1) / 2)], ids[i]]),
      )
      assert.deepEqual(
        ofType(graph.nodes, 'action').map(({ id }) => id),
        ids,
      )
      assert.deepEqual(
        new Set(ofType(graph.nodes, 'token').map(({ id }) => id)),
        new Set([root.jti, child.jti, idle.jti]),
      )
      if (limit === 1) assert.equal(graph.pages, 7, 'the token that did nothing comes with the last action')
    }
  })

  test('continues with pages of tokens that have no actions', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const children: string[] = []
    for (let i = 0; i < 5; i++) children.push((await aChild(service, root.jti, `idle-${i}`)).jti)
    await aRecord(service, root.jti)
    const graph = await graphOf(service, root.provenance_ref, 2)
    assert.equal(graph.pages, 3)
    assert.deepEqual(
      new Set(ofType(graph.nodes, 'token').map(({ id }) => id)),
      new Set([root.jti, ...children]),
    )
  })

  test('refuses bad limits, bad cursors and an unknown workflow', async (t) => {
    const service = await aTestApp(t)
    const { provenance_ref } = await aRoot(service)
    const path = `/v1/vat/aar/provenance/${provenance_ref}/graph`
    for (const query of ['limit=0', 'limit=2001', 'cursor=u0', 'colour=red']) {
      const bad = await service.get(`${path}?${query}`)
      assert.deepEqual([bad.status, bad.body.code], [400, 'invalid_request'], query)
    }
    const at = async (place: string) => (await service.get(`${path}?cursor=getWorkflowGraph.${place}`)).status
    for (const place of ['c1', 'u', 'x1']) assert.equal(await at(place), 400, place)
    for (const place of ['u0', 'uzzzzzzzzzzz', 't0', 'tzzzzzzzzzzz'])
      assert.equal(await at(place), 200, place)
    const unknown = await service.get('/v1/vat/aar/provenance/prov_x/graph')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'workflow_unknown'])
  })

  test('has no cycle: a cause precedes its effect in the log', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aRoot(service)
    const first = await aRecord(service, jti)
    const second = await aRecord(service, jti, { parent_aar_id: first })
    for (const parent_aar_id of ['aar_unknown', first, second]) {
      const asked = { items: [{ vat_jti: jti, ...READ, parent_aar_id }] }
      const { answer } = (await service.post('/v1/vat/authorize/batch', asked)).body.items[0]
      if (parent_aar_id === 'aar_unknown') assert.equal(answer, undefined)
      else {
        const effect = (await service.get(`/v1/vat/aar/${answer.aar_id}`)).body
        const cause = (await service.get(`/v1/vat/aar/${parent_aar_id}`)).body
        assert.ok(cause.log_index < effect.log_index)
      }
    }
  })
})

describe('GET /v1/vat/aar/{id}/lineage', () => {
  test('returns causes, effects and the token chain', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti, 'helper')
    const first = await aRecord(service, root.jti)
    const second = await aRecord(service, child.jti, { parent_aar_id: first })
    const third = await aRecord(service, root.jti, { parent_aar_id: second })
    const fourth = await aRecord(service, root.jti, { parent_aar_id: second })
    const { body } = await service.get(`/v1/vat/aar/${second}/lineage`)
    const ids = (list: { aar_id: string }[]) => list.map(({ aar_id }) => aar_id)
    assert.equal(body.aar_id, second)
    assert.deepEqual(body.record, (await service.get(`/v1/vat/aar/${second}`)).body)
    assert.deepEqual(ids(body.causes), [first])
    assert.deepEqual(ids(body.effects), [third, fourth])
    assert.deepEqual([body.has_more_causes, body.has_more_effects], [false, false])
    assert.deepEqual(body.chain, (await service.get(`/v1/vat/tokens/${child.jti}/chain`)).body.data)
    assert.deepEqual(ids((await service.get(`/v1/vat/aar/${fourth}/lineage`)).body.causes), [second, first])
    const unknown = await service.get('/v1/vat/aar/aar_x/lineage')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'record_unknown'])
  })

  test('stops after 1,000 causes and 200 effects, and indicates that there are more', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aRoot(service)
    const first = await aRecord(service, jti)
    let last = first
    for (let i = 0; i < 1001; i++) last = await aRecord(service, jti, { parent_aar_id: last })
    const items = Array.from({ length: 201 }, () => ({
      vat_jti: jti,
      ...READ,
      result: 'success',
      parent_aar_id: last,
    }))
    await service.post('/v1/vat/record/batch', { items })
    const { body } = await service.get(`/v1/vat/aar/${last}/lineage`)
    assert.deepEqual([body.causes.length, body.has_more_causes], [1000, true])
    assert.deepEqual([body.effects.length, body.has_more_effects], [200, true])
    const { parent_aar_id } = body.record
    const above = (await service.get(`/v1/vat/aar/${parent_aar_id}/lineage`)).body
    assert.deepEqual([above.causes.length, above.has_more_causes], [1000, false])
    assert.equal(above.causes.at(-1).aar_id, first)
  })
})
