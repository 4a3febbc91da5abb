import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { verifyProofPack } from '@deputize/protocol/verifier'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { aKeyedApp, anAgent, aPerson, type Client } from './a-keyed-app.ts'

const service = await aTestApp({ after }, { rate_limit: 0 })
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
let people = 0

interface KnownPerson {
  readonly human_ref: string
  readonly jti: string
  /** The agent that acts for the person. */
  readonly own_agent: string
}

/** A person in open mode, known through the token of their agent. */
async function somebody(changes: Record<string, unknown> = {}): Promise<KnownPerson> {
  people += 1
  const agent_id = `bot-of-${people}`
  const { status, body } = await service.post(
    '/v1/vat/issue/l1',
    anIssueRequest({
      developer_email: `person-${people}@example.com`,
      agent_id,
      actions: ['read', 'delegate'],
      ...changes,
    }),
  )
  assert.equal(status, 200, JSON.stringify(body))
  return { human_ref: body.claims.svc_human_ref, jti: body.jti, own_agent: `agent:${agent_id}` }
}

const emailOf = ({ own_agent }: KnownPerson) =>
  `person-${own_agent.slice('agent:bot-of-'.length)}@example.com`

/** A person who signed in, and therefore is an anchor. */
async function verified(): Promise<KnownPerson> {
  const person = await somebody()
  await signIn(person)
  return person
}

let sessions = 0

async function signIn({ human_ref }: KnownPerson): Promise<void> {
  sessions += 1
  await service.submit({
    kind: 'begin_session',
    session_key: `session-${sessions}`,
    tenant_id: 'default',
    human_ref,
    assurance_level: 'L2',
  })
}

const vouch = (from: KnownPerson, to: string, more: object = {}) =>
  service.post('/v1/vat/trust/vouches', { from: from.human_ref, to, ...more })

async function vouched(from: KnownPerson, to: string, more: object = {}): Promise<string> {
  const { status, body } = await vouch(from, to, more)
  assert.equal(status, 200, JSON.stringify(body))
  return body.vouch_id
}

async function send(method: 'PATCH' | 'PUT', path: string, body: object): Promise<Answer> {
  const response = await service.app.inject({
    method,
    url: path,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

const patch = (vouch_id: string, body: object) => send('PATCH', `/v1/vat/trust/vouches/${vouch_id}`, body)
const withdraw = (vouch_id: string) => service.post(`/v1/vat/trust/vouches/${vouch_id}/withdraw`)

async function score(subject: string, query = ''): Promise<Answer['body']> {
  const { status, body } = await service.get(
    `/v1/vat/trust/scores/${encodeURIComponent(subject)}?explain=1${query}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const flowOf = async (subject: string, query = ''): Promise<number> => (await score(subject, query)).flow

describe('a vouch', () => {
  test('is shown with its subject, weight, context, note and expiry, and logged without the note', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const expires_at = new Date(service.clock() + HOUR_MS).toISOString()
    const { status, body } = await vouch(ada, bea.own_agent, {
      weight: 0.25,
      context: 'payments',
      note: 'canary-note',
      expires_at,
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(body.vouch_id, /^vch_/)
    const made_at = new Date(service.clock()).toISOString()
    assert.deepEqual(body, {
      vouch_id: body.vouch_id,
      from: ada.human_ref,
      to: bea.own_agent,
      weight: 0.25,
      context: 'payments',
      note: 'canary-note',
      standing: true,
      made_at,
      expires_at,
      log_index: (await service.logSize()) - 1,
    })
    assert.deepEqual((await service.get(`/v1/vat/trust/vouches/${body.vouch_id}`)).body, body)
    const leaf = JSON.parse((await service.leafTexts()).at(-1) ?? '')
    assert.deepEqual(
      [leaf.type, leaf.from, leaf.to, leaf.weight, leaf.context, leaf.expires_at, leaf.tenant_id],
      ['vouch.made', ada.human_ref, { agent_id: bea.own_agent }, 250_000, 'payments', expires_at, 'default'],
    )
    assert.ok(!JSON.stringify(leaf).includes('canary'))
    const [row] = await service.rows(`SELECT note FROM vouches WHERE vouch_id = '${body.vouch_id}'`)
    assert.ok(!Buffer.from(row?.note as Uint8Array).includes('canary'))
  })

  test('can be given once per subject and context, and a refusal names the existing one', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const first = await vouched(ada, bea.human_ref)
    const again = await vouch(ada, bea.human_ref, { weight: 0.5 })
    assert.deepEqual([again.status, again.body.code, again.body.vouch_id], [409, 'vouch_exists', first])
    await vouched(ada, bea.human_ref, { context: 'code' })
    assert.equal((await vouch(ada, bea.human_ref, { context: 'code' })).body.code, 'vouch_exists')
    await withdraw(first)
    await vouched(ada, bea.human_ref)
  })

  test('requested twice at once is given once', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const answers = await Promise.all(Array.from({ length: 8 }, () => vouch(ada, bea.human_ref)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.code === 'vouch_exists').length, 7)
  })

  test('requested again with its Idempotency-Key is the same vouch', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const request = { from: ada.human_ref, to: bea.human_ref, note: 'once' }
    const key = { 'idempotency-key': 'vouch-once' }
    const first = await service.post('/v1/vat/trust/vouches', request, key)
    const second = await service.post('/v1/vat/trust/vouches', request, key)
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers['idempotency-replayed'], 'true')
  })

  test('is refused for the voucher under any ref, and for agents that act or acted in their name', async () => {
    const ada = await somebody()
    const refused = async (to: string) => {
      const { status, body } = await vouch(ada, to)
      assert.deepEqual([status, body.code], [403, 'cannot_vouch'])
      return body.reason
    }
    assert.equal(await refused(ada.human_ref), 'yourself')
    assert.equal(await refused(ada.own_agent), 'own_agent')
    await service.post('/v1/vat/delegate', { vat_jti: ada.jti, agent_id: 'sub-of-ada' })
    assert.equal(await refused('agent:sub-of-ada'), 'own_agent')
    await service.post('/v1/vat/revoke', { vat_jti: ada.jti })
    assert.equal(await refused('agent:sub-of-ada'), 'own_agent')
    // A second address that the person has proved.
    const second = await somebody()
    await service.submit({
      kind: 'register',
      entry_kind: 'identity',
      id: second.human_ref,
      tenant_id: 'default',
      owner: ada.human_ref,
      document: '{}',
      expects: 'absent',
    })
    assert.equal(await refused(second.human_ref), 'yourself')
    assert.equal(await refused(second.own_agent), 'own_agent')
    const back = await vouch(second, ada.human_ref)
    assert.deepEqual([back.body.code, back.body.reason], ['cannot_vouch', 'yourself'])
  })

  test('for an agent ends when the agent becomes the voucher’s own by a token, a delegation or ownership', async () => {
    const [ada, bea] = [await verified(), await somebody()]
    const issued = anIssueRequest({ developer_email: emailOf(ada) })
    const makeOwn: Readonly<Record<string, (agent_id: string) => Promise<unknown>>> = {
      'a token': (agent_id) => service.post('/v1/vat/issue/l1', { ...issued, agent_id }),
      'a delegation': (agent_id) => service.post('/v1/vat/delegate', { vat_jti: ada.jti, agent_id }),
      ownership: (agent_id) =>
        service.submit({
          kind: 'register_agent',
          agent_id,
          profile: {},
          must_exist: true,
          owned_by: [`human:${ada.human_ref}`],
        }),
    }
    for (const [how, make] of Object.entries(makeOwn)) {
      const { own_agent } = await somebody()
      const ids = [await vouched(ada, own_agent), await vouched(ada, own_agent, { context: 'code' })]
      const other = await vouched(bea, own_agent)
      assert.equal(await flowOf(own_agent), 0.7, how)
      await make(own_agent.slice('agent:'.length))
      for (const id of ids)
        assert.equal((await service.get(`/v1/vat/trust/vouches/${id}`)).body.standing, false)
      assert.equal((await service.get(`/v1/vat/trust/vouches/${other}`)).body.standing, true)
      assert.equal(await flowOf(own_agent), 0, how)
      const ends = (await service.leafTexts()).slice(-2).map((text) => JSON.parse(text))
      assert.deepEqual(
        ends.map(({ type, by }) => [type, by]),
        ids.map(() => ['vouch.withdrawn', 'own_agent']),
      )
      assert.deepEqual(ends.map(({ vouch_id }) => vouch_id).sort(), [...ids].sort())
      assert.equal((await vouch(ada, own_agent)).body.reason, 'own_agent')
    }
  })

  test('ends when both ends turn out to be the same person, or the agent to be the voucher’s own', async () => {
    const [ada, address, bea] = [await verified(), await somebody(), await somebody()]
    const ended = [
      await vouched(ada, address.human_ref),
      await vouched(address, ada.human_ref),
      await vouched(ada, address.own_agent),
      await vouched(address, ada.own_agent),
    ]
    const kept = [await vouched(ada, bea.own_agent), await vouched(bea, address.human_ref)]
    await service.submit({
      kind: 'register',
      entry_kind: 'identity',
      id: address.human_ref,
      tenant_id: 'default',
      owner: ada.human_ref,
      document: '{}',
      expects: 'absent',
    })
    const standing = async (id: string) => (await service.get(`/v1/vat/trust/vouches/${id}`)).body.standing
    assert.deepEqual(await Promise.all(ended.map(standing)), [false, false, false, false])
    assert.deepEqual(await Promise.all(kept.map(standing)), [true, true])
    // From now on, an agent of the address is an agent of the person.
    await service.post('/v1/vat/delegate', {
      vat_jti: address.jti,
      agent_id: bea.own_agent.slice('agent:'.length),
    })
    assert.equal(await standing(kept[0] ?? ''), false)
  })

  test('of a person who has given a thousand needs another one to be withdrawn first', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const context = (index: number) => ({ context: `c${index}` })
    const items = Array.from({ length: 1000 }, (_, index) => ({
      kind: 'vouch' as const,
      vouch_id: `vch_${ada.human_ref.slice(-20)}_${index}`,
      tenant_id: 'default',
      from: ada.human_ref,
      to: bea.human_ref,
      weight: 10_000,
      ...context(index),
      note: undefined,
      expires_at_ms: undefined,
    }))
    await service.submit({ kind: 'many', items })
    const refused = await vouch(ada, bea.human_ref, context(1000))
    assert.deepEqual([refused.body.code, refused.body.reason], ['cannot_vouch', 'too_many'])
    await withdraw(items[0]?.vouch_id ?? '')
    await vouched(ada, bea.human_ref, context(1000))
  })

  test('must name an existing person or agent, and have valid members', async () => {
    const ada = await somebody()
    const nobody = `sha256:${'0'.repeat(64)}`
    assert.equal((await vouch(ada, nobody)).body.code, 'human_unknown')
    assert.equal((await vouch(ada, 'agent:never-seen')).body.code, 'agent_unknown')
    const other = await somebody()
    const fromNobody = await service.post('/v1/vat/trust/vouches', { from: nobody, to: other.human_ref })
    assert.equal(fromNobody.body.code, 'human_unknown')
    for (const [wrong, pointer] of [
      [{ to: 'bea' }, '/to'],
      [{ weight: 0.001 }, '/weight'],
      [{ weight: 1.1 }, '/weight'],
      [{ context: 'Payments' }, '/context'],
      [{ note: '' }, '/note'],
      [{ expires_at: '2001-01-01T00:00:00Z' }, '/expires_at'],
      [{ from: undefined }, '/from'],
      [{ vouch_id: 'mine' }, '/vouch_id'],
    ] as const) {
      const { status, body } = await vouch(ada, other.human_ref, wrong)
      assert.deepEqual([status, body.errors?.[0]?.pointer], [400, pointer], JSON.stringify(body))
    }
  })

  test('can be changed while it stands, and ends permanently', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const id = await vouched(ada, bea.human_ref, { note: 'kept' })
    const expires_at = new Date(service.clock() + HOUR_MS).toISOString()
    const changed = await patch(id, { weight: 0.5, expires_at })
    assert.deepEqual(
      [changed.body.weight, changed.body.expires_at, changed.body.note],
      [0.5, expires_at, 'kept'],
    )
    const size = await service.logSize()
    assert.equal((await patch(id, { weight: 0.5 })).status, 200)
    assert.equal(await service.logSize(), size, 'the same weight again is no change')
    assert.equal((await patch(id, { expires_at: null })).body.expires_at, undefined)
    const ended = await withdraw(id)
    assert.deepEqual([ended.body.standing, ended.body.note], [false, 'kept'])
    assert.ok(ended.body.ended_at)
    assert.deepEqual((await withdraw(id)).body, ended.body)
    const late = await patch(id, { weight: 1 })
    assert.deepEqual([late.status, late.body.code], [409, 'vouch_ended'])
  })

  test('that is withdrawn while it is changed stays withdrawn', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const id = await vouched(ada, bea.human_ref)
    await Promise.all([patch(id, { weight: 0.2 }), withdraw(id), patch(id, { weight: 0.3 })])
    assert.equal((await service.get(`/v1/vat/trust/vouches/${id}`)).body.standing, false)
  })

  test('that expires while the call waits for its turn is neither created nor changed', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const id = await vouched(ada, bea.human_ref)
    const size = await service.logSize()
    const expires_at_ms = service.clock() - 1
    const refused = { code: 'invalid_request' }
    await assert.rejects(
      service.submit({
        kind: 'vouch',
        vouch_id: 'vch_late',
        tenant_id: 'default',
        from: bea.human_ref,
        to: ada.human_ref,
        weight: 1_000_000,
        context: undefined,
        note: undefined,
        expires_at_ms,
      }),
      refused,
    )
    const change = { kind: 'change_vouch', vouch_id: id, weight: undefined, expires_at_ms } as const
    await assert.rejects(service.submit(change), refused)
    assert.equal(await service.logSize(), size)
  })

  test('that has expired makes room for another', async () => {
    const [ada, bea] = [await verified(), await somebody()]
    const soon = new Date(service.clock() + HOUR_MS).toISOString()
    const first = await vouched(ada, bea.human_ref, { expires_at: soon })
    assert.equal(await flowOf(bea.human_ref), 0.7)
    service.clock.advance(HOUR_MS)
    await somebody() // adds a leaf, which advances the time of the log
    assert.equal((await service.get(`/v1/vat/trust/vouches/${first}`)).body.standing, false)
    assert.equal(await flowOf(bea.human_ref), 0)
    await vouched(ada, bea.human_ref, { weight: 0.5 })
    assert.equal(await flowOf(bea.human_ref), 0.4)
    assert.ok((await service.get(`/v1/vat/trust/vouches/${first}`)).body.ended_at)
  })

  test('can be listed by either end, by context, and by whether it stands', async () => {
    const [ada, bea, cid] = [await somebody(), await somebody(), await somebody()]
    const one = await vouched(ada, bea.human_ref)
    const two = await vouched(ada, cid.own_agent, { context: 'code' })
    const three = await vouched(cid, bea.human_ref)
    await withdraw(one)
    const ids = async (query: string) => {
      const { body } = await service.get(`/v1/vat/trust/vouches?${query}`)
      return body.data.map(({ vouch_id }: { vouch_id: string }) => vouch_id)
    }
    assert.deepEqual(await ids(`from=${ada.human_ref}`), [two, one])
    assert.deepEqual(await ids(`to=${bea.human_ref}`), [three, one])
    assert.deepEqual(await ids(`to=${bea.human_ref}&standing=true`), [three])
    assert.deepEqual(await ids(`from=${ada.human_ref}&context=code`), [two])
    assert.deepEqual(await ids(`to=${encodeURIComponent(cid.own_agent)}`), [two])
    const page = (await service.get(`/v1/vat/trust/vouches?from=${ada.human_ref}&limit=1`)).body
    assert.equal(page.has_more, true)
    assert.deepEqual(await ids(`from=${ada.human_ref}&limit=1&cursor=${page.next_cursor}`), [one])
  })
})

describe('a score', () => {
  test('is what verified people can give along the widest paths, and can be explained', async () => {
    const [ada, bea, cid] = [await verified(), await somebody(), await somebody()]
    const first = await vouched(ada, bea.human_ref, { weight: 0.9 })
    const second = await vouched(bea, cid.own_agent)
    const body = await score(cid.own_agent)
    assert.deepEqual(
      { ...body, as_of: body.as_of.log_size },
      {
        subject: cid.own_agent,
        score: 0.390243,
        flow: 0.64,
        anchors: 1,
        vouches: 2,
        truncated: false,
        as_of: await service.logSize(),
        paths: [
          {
            flow: 0.64,
            steps: [
              { vouch_id: first, from: ada.human_ref, capacity: 0.72 },
              { vouch_id: second, from: bea.human_ref, capacity: 0.64 },
            ],
          },
        ],
        cut: [{ limit: 'vouch', vouch_id: second, capacity: 0.64 }],
      },
    )
    const plain = await service.get(`/v1/vat/trust/scores/${encodeURIComponent(cid.own_agent)}`)
    assert.deepEqual([plain.body.flow, plain.body.paths, plain.body.cut], [0.64, undefined, undefined])
  })

  test('is zero for invented people who vouch for each other, however many they are', async () => {
    const ring = await Promise.all(Array.from({ length: 12 }, () => somebody()))
    for (const [index, person] of ring.entries())
      await vouched(person, ring[(index + 1) % ring.length]?.human_ref ?? '')
    const target = await somebody()
    for (const person of ring) await vouched(person, target.own_agent)
    assert.equal(await flowOf(target.own_agent), 0)
    // One deceived person opens one path, no wider than their vouch.
    const fooled = await verified()
    await vouched(fooled, ring[0]?.human_ref ?? '', { weight: 0.5 })
    assert.equal(await flowOf(target.own_agent), 0.4)
  })

  test('falls when an agent is rated badly while vouches for it stand', async () => {
    const [ada, bea] = [await verified(), await somebody()]
    await vouched(ada, bea.own_agent)
    assert.equal(await flowOf(bea.own_agent), 0.7)
    const { body } = await service.post('/v1/vat/record/action', {
      vat_jti: bea.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'error',
    })
    await service.post(`/v1/vat/aar/${body.aar_id}/feedback`, { rating: 'rejected' })
    assert.equal(await flowOf(bea.own_agent), 0.4)
  })

  test('can be limited to a context, a person’s view or an earlier log', async () => {
    const [ada, bea, cid] = [await verified(), await somebody(), await somebody()]
    await vouched(ada, bea.human_ref)
    const before = await service.logSize()
    await vouched(bea, cid.own_agent, { context: 'code' })
    assert.equal(await flowOf(cid.own_agent), 0)
    assert.equal(await flowOf(cid.own_agent, '&context=code'), 0.64)
    assert.equal(await flowOf(cid.own_agent, `&context=code&as=${bea.human_ref}`), 0.8)
    assert.equal(await flowOf(cid.own_agent, `&context=code&at=${before}`), 0)
    const past = await score(cid.own_agent, `&context=code&at=${before + 1}`)
    assert.deepEqual([past.flow, past.as_of.log_size], [0.64, before + 1])
    const beyond = await service.get(`/v1/vat/trust/scores/${ada.human_ref}?at=1000000`)
    assert.deepEqual([beyond.status, beyond.body.errors[0].pointer], [400, '?at'])
  })

  test('drops a year after a verification, and with an erasure', async () => {
    const [ada, bea, cid] = [await verified(), await verified(), await somebody()]
    await vouched(ada, cid.own_agent)
    await vouched(bea, cid.own_agent)
    assert.equal(await flowOf(cid.own_agent), 1.4)
    const erased = await service.delete(`/v1/vat/humans/${bea.human_ref}`)
    assert.equal(erased.status, 200)
    assert.equal(await flowOf(cid.own_agent), 0.7)
    service.clock.advance(YEAR_MS)
    await somebody()
    assert.equal(await flowOf(cid.own_agent), 0)
    await signIn(ada)
    assert.equal(await flowOf(cid.own_agent), 0.7)
  })

  test('is refused for subjects that do not exist, and for invalid subjects', async () => {
    const get = async (path: string) => (await service.get(`/v1/vat/trust/${path}`)).body.code
    assert.equal(await get('scores/agent%3Anever-seen'), 'agent_unknown')
    assert.equal(await get(`scores/sha256:${'0'.repeat(64)}`), 'human_unknown')
    assert.equal(await get('scores/nobody'), 'invalid_request')
    assert.equal(await get('graph?around=agent%3Anever-seen'), 'agent_unknown')
  })

  test('is refused if too many are requested at once', async () => {
    const ada = await somebody()
    const ask = () => service.get(`/v1/vat/trust/scores/${ada.human_ref}`)
    const answers = await Promise.all(Array.from({ length: 120 }, ask))
    const refused = answers.filter(({ status }) => status === 503)
    assert.ok(refused.length > 0 && refused.length < 120, `${refused.length} refused`)
    assert.equal(refused[0]?.body.code, 'trust_unavailable')
    assert.ok(refused[0]?.headers['retry-after'])
    assert.equal((await ask()).status, 200)
  })
})

describe('paths, the graph and the ranking', () => {
  test('show how a person’s vouches reach a subject, and its neighbours', async () => {
    const [ada, bea, cid] = [await verified(), await somebody(), await somebody()]
    const first = await vouched(ada, bea.human_ref)
    const second = await vouched(bea, cid.own_agent, { weight: 0.5 })
    const direct = await vouched(ada, cid.own_agent, { weight: 0.1 })
    const ways = await service.get(
      `/v1/vat/trust/paths?from=${ada.human_ref}&to=${encodeURIComponent(cid.own_agent)}`,
    )
    const steps = ways.body.paths.map((path: { steps: { vouch_id: string }[] }) =>
      path.steps.map(({ vouch_id }) => vouch_id),
    )
    assert.deepEqual(steps, [[first, second], [direct]])
    const graph = await service.get(`/v1/vat/trust/graph?around=${encodeURIComponent(cid.own_agent)}&depth=1`)
    assert.deepEqual(
      graph.body.nodes.map(({ subject, steps: away }: { subject: string; steps: number }) => [subject, away]),
      [
        [cid.own_agent, 0],
        [bea.human_ref, 1],
        [ada.human_ref, 1],
      ],
    )
    assert.equal(graph.body.nodes[2].base, 0.7)
    assert.equal(graph.body.edges.length, 3)
    assert.equal(graph.body.truncated, false)
  })

  test('rank agents by the flow that reaches them', async () => {
    const [ada, bea, cid] = [await verified(), await somebody(), await somebody()]
    const context = 'ranked'
    await vouched(ada, bea.own_agent, { context, weight: 0.3 })
    await vouched(ada, cid.own_agent, { context, weight: 0.6 })
    const { body } = await service.get(`/v1/vat/trust/ranking?context=${context}&limit=200`)
    const own = body.data.filter(({ agent_id }: { agent_id: string }) =>
      [bea.own_agent, cid.own_agent].includes(agent_id),
    )
    assert.deepEqual(own, [
      { agent_id: cid.own_agent, score: 0.324324, flow: 0.48 },
      { agent_id: bea.own_agent, score: 0.193548, flow: 0.24 },
    ])
    assert.equal(body.as_of.log_size, await service.logSize())
  })
})

describe('an anchor', () => {
  test('can be named by an operator with a reason, replaces verification, and can be removed', async () => {
    const [ada, bea] = [await verified(), await somebody()]
    await vouched(ada, bea.own_agent)
    const path = `/v1/vat/trust/anchors/${ada.human_ref}`
    const named = await send('PUT', path, { base: 0, reason: 'was deceived' })
    assert.deepEqual([named.status, named.body.base, named.body.reason], [200, 0, 'was deceived'])
    assert.equal(await flowOf(bea.own_agent), 0)
    await send('PUT', path, { base: 0.5, reason: 'is careful again' })
    assert.equal(await flowOf(bea.own_agent), 0.5)
    const { body } = await service.get('/v1/vat/trust/anchors')
    assert.deepEqual([body.data[0].human_ref, body.data[0].reason], [ada.human_ref, 'is careful again'])
    assert.deepEqual((await service.delete(path)).body, { human_ref: ada.human_ref, removed: true })
    assert.deepEqual((await service.delete(path)).body, { human_ref: ada.human_ref, removed: false })
    assert.equal(await flowOf(bea.own_agent), 0.7)
    const leaves = (await service.leafTexts()).slice(-3).join()
    assert.ok(!leaves.includes('deceived') && !leaves.includes('careful'))
  })

  test('needs a reason, a base within its limits, and an existing person', async () => {
    const { human_ref } = await somebody()
    const name = (ref: string, body: object) => send('PUT', `/v1/vat/trust/anchors/${ref}`, body)
    assert.equal((await name(human_ref, { base: 0.5 })).body.errors[0].pointer, '/reason')
    assert.equal((await name(human_ref, { base: 0.96, reason: 'r' })).body.errors[0].pointer, '/base')
    const nobody = await name(`sha256:${'0'.repeat(64)}`, { base: 0.5, reason: 'r' })
    assert.equal(nobody.body.code, 'human_unknown')
  })
})

describe('an erasure', () => {
  test('ends vouches from and to the person, and deletes all notes by or about them', async () => {
    const [ada, bea, cid] = [await somebody(), await somebody(), await somebody()]
    const given = await vouched(ada, bea.human_ref, { note: 'by ada' })
    const got = await vouched(bea, ada.human_ref, { note: 'about ada' })
    const old = await vouched(cid, ada.human_ref, { note: 'once about ada' })
    await withdraw(old)
    await send('PUT', `/v1/vat/trust/anchors/${ada.human_ref}`, { base: 0.5, reason: 'a founder' })
    await service.delete(`/v1/vat/humans/${ada.human_ref}`)
    for (const id of [given, got, old]) {
      const { body } = await service.get(`/v1/vat/trust/vouches/${id}`)
      assert.deepEqual([body.standing, body.note], [false, undefined])
      assert.ok(body.ended_at)
    }
    assert.equal((await service.get(`/v1/vat/trust/vouches/${given}`)).body.erased, true)
    const rows = await service.rows(`SELECT note FROM vouches WHERE to_ref = '${ada.human_ref}'`)
    assert.ok(rows.every(({ note }) => note === null))
    const named = (await service.get('/v1/vat/trust/anchors?limit=200')).body.data
    assert.ok(named.every(({ human_ref }: { human_ref: string }) => human_ref !== ada.human_ref))
  })

  test('keeps an anchor that an operator set to 0 until an operator removes it', async () => {
    const [ada, bea] = [await verified(), await somebody()]
    const vouchAgain = async () => {
      await signIn(ada)
      await vouched(ada, bea.own_agent)
      return flowOf(bea.own_agent)
    }
    assert.equal(await vouchAgain(), 0.7)
    const path = `/v1/vat/trust/anchors/${ada.human_ref}`
    await send('PUT', path, { base: 0, reason: 'sold her word' })
    await service.delete(`/v1/vat/humans/${ada.human_ref}`)
    assert.equal(await vouchAgain(), 0)
    const [listed] = (await service.get('/v1/vat/trust/anchors?limit=200')).body.data.filter(
      ({ human_ref }: { human_ref: string }) => human_ref === ada.human_ref,
    )
    assert.deepEqual([listed?.base, listed?.reason], [0, undefined])
    assert.deepEqual((await service.delete(path)).body, { human_ref: ada.human_ref, removed: true })
    assert.equal(await flowOf(bea.own_agent), 0.7)
  })

  test('ends a vouch that was given for the ref after an earlier erasure', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    await service.delete(`/v1/vat/humans/${ada.human_ref}`)
    const id = await vouched(bea, ada.human_ref)
    const again = await service.delete(`/v1/vat/humans/${ada.human_ref}`)
    assert.equal(again.body.already_erased, false)
    assert.equal((await service.get(`/v1/vat/trust/vouches/${id}`)).body.standing, false)
  })
})

describe('min_vouch_score', () => {
  const act = (vat_jti: string) =>
    service.post('/v1/vat/authorize', { vat_jti, action: 'read', resource: 'calendar:events' })

  test('denies until people vouch for the agent, and names the stored score', async () => {
    const ada = await verified()
    const gated = await somebody({ constraints: { min_vouch_score: 0.4 } })
    const first = await act(gated.jti)
    assert.deepEqual(
      [first.body.authorized, first.body.reasons, first.body.details],
      [false, ['vouch_score_too_low'], [{ reason: 'vouch_score_too_low', vouch_score: 0 }]],
    )
    await vouched(ada, gated.own_agent, { weight: 0.5 })
    await service.context.trustScores.keepScores()
    const size = await service.logSize()
    const second = await act(gated.jti)
    assert.deepEqual(second.body.details, [
      { reason: 'vouch_score_too_low', vouch_score: 0.285714, log_size: size },
    ])
    const id = await vouched(await verified(), gated.own_agent)
    await service.context.trustScores.keepScores()
    assert.equal((await act(gated.jti)).body.authorized, true)
    const leaf = JSON.parse((await service.leafTexts()).at(-1) ?? '')
    assert.deepEqual([leaf.type, leaf.vouch_score], ['action.authorized', 523_809])
    await withdraw(id)
    assert.equal((await act(gated.jti)).body.authorized, true, 'the kept score is from before')
    await service.context.trustScores.keepScores()
    assert.equal((await act(gated.jti)).body.authorized, false)
  })

  test('applies to every agent below the token, and can only rise along a chain', async () => {
    const ada = await verified()
    const gated = await somebody({ constraints: { min_vouch_score: 0.3 } })
    const lower = { vat_jti: gated.jti, agent_id: 'below', constraints: { min_vouch_score: 0.2 } }
    const widened = await service.post('/v1/vat/delegate', lower)
    assert.deepEqual([widened.body.code, widened.body.widening], ['scope_widening', ['min_vouch_score']])
    const child = await service.post('/v1/vat/delegate', { vat_jti: gated.jti, agent_id: 'below' })
    assert.deepEqual((await act(child.body.jti)).body.reasons, ['vouch_score_too_low'])
    await vouched(ada, 'agent:below')
    await service.context.trustScores.keepScores()
    assert.equal((await act(child.body.jti)).body.authorized, true)
    assert.equal((await act(gated.jti)).body.authorized, false, 'the score of another agent')
  })

  test('applies to dry runs and AuthZEN evaluations as it does to actions', async () => {
    const gated = await somebody({ constraints: { min_vouch_score: 0.4 } })
    const wanted = { vat_jti: gated.jti, action: 'read', resource: 'calendar:events' }
    const dryRun = async () => (await service.post('/v1/vat/authorize', { ...wanted, dry_run: true })).body
    const evaluated = async () => {
      const { body } = await service.post('/access/v1/evaluation', {
        subject: { type: 'token', id: gated.jti },
        action: { name: 'read' },
        resource: { type: 'calendar', id: 'events' },
      })
      return [body.decision, body.context?.id]
    }
    const { authorized, reasons } = await dryRun()
    assert.deepEqual([authorized, reasons], [false, ['vouch_score_too_low']])
    assert.deepEqual(await evaluated(), [false, 'vouch_score_too_low'])
    await vouched(await verified(), gated.own_agent)
    await service.context.trustScores.keepScores()
    assert.equal((await dryRun()).authorized, true)
    assert.equal((await evaluated())[0], true)
  })

  test('costs no lookup and no row if no token has it', async () => {
    const plain = await somebody()
    await act(plain.jti)
    const rows = await service.rows(
      `SELECT agent_id FROM vouch_scores WHERE agent_id = '${plain.own_agent.slice(6)}'`,
    )
    assert.deepEqual(rows, [])
    const leaf = JSON.parse((await service.leafTexts()).at(-1) ?? '')
    assert.equal(leaf.vouch_score, undefined)
  })
})

describe('exports', () => {
  test('of a workflow contain the vouches for its agents, which a verifier finds in the log', async () => {
    const [ada, cid] = [await verified(), await verified()]
    const old = await somebody()
    const gone = await vouched(ada, old.own_agent)
    await withdraw(gone)
    const bea = await somebody({ agent_id: old.own_agent.slice('agent:'.length) })
    const kept = await vouched(cid, old.own_agent, { weight: 0.5 })
    await patch(kept, { weight: 0.6 })
    await service.post('/v1/vat/record/action', {
      vat_jti: bea.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    })
    const { provenance_ref } = (await service.get(`/v1/vat/tokens/${bea.jti}`)).body
    const exported = async (format: string) =>
      (await service.app.inject(`/v1/vat/aar/provenance/${provenance_ref}/export?format=${format}`)).body
    const pack = await exported('proof-pack')
    const sound = await verifyProofPack(linesOf(pack), {})
    assert.deepEqual([sound.records, sound.vouches], [1, 2])
    assert.ok(!pack.includes(gone), 'one that ended before the workflow began is left out')
    const forged = pack.replaceAll('600000', '900000')
    await assert.rejects(verifyProofPack(linesOf(forged), {}), { name: 'LogFault' })
    const { wasInfluencedBy, agent } = JSON.parse(await exported('prov-json'))
    const [influence] = Object.values<Record<string, string>>(wasInfluencedBy)
    assert.equal(influence?.['deputy:vouch_id'], kept)
    assert.equal(agent[influence?.['prov:influencer'] ?? '']['deputy:human_ref'], cid.human_ref)
  })

  test('of a person contain the vouches that they gave and got', async () => {
    const [ada, bea] = [await somebody(), await somebody()]
    const given = await vouched(ada, bea.human_ref, { note: 'given' })
    const got = await vouched(bea, ada.human_ref, { note: 'got' })
    const { body } = await service.app.inject(`/v1/vat/humans/${ada.human_ref}/export`)
    const vouches = body
      .split('\n')
      .filter((line) => line.startsWith('{"vouch"'))
      .map((line) => JSON.parse(line).vouch)
    assert.deepEqual(
      vouches.map(({ vouch_id, note }) => [vouch_id, note]),
      [
        [given, 'given'],
        [got, 'got'],
      ],
    )
  })
})

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split('\n').slice(0, -1)
}

describe('in keyed mode', async () => {
  const app = await aKeyedApp({ after }, { rate_limit: 0 })
  await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
  await app.operator.post('/v1/vat/tenants', { tenant_id: 'other' })
  const developer = app.withKey(await app.key('acme', 'developer'))
  const operator = app.withKey(await app.key('acme', 'operator'))
  const alices = await anAgent(app, developer, { developer_email: 'alice@acme.example', agent_id: 'alices' })
  const bobs = await anAgent(app, developer, { developer_email: 'bob@acme.example', agent_id: 'bobs' })
  const alice = await aPerson(app, 'acme', alices.human_ref)
  const bob = await aPerson(app, 'acme', bobs.human_ref)
  const vouchAs = (client: Client, body: object) => client.post('/v1/vat/trust/vouches', body)

  test('only people can vouch, with their own session and in their own name', async () => {
    for (const client of [developer, operator, alices.client, app.anonymous]) {
      const { status } = await vouchAs(client, { from: alice.human_ref, to: 'agent:bobs' })
      assert.ok(status === 401 || status === 403, String(status))
    }
    const forged = await vouchAs(bob.client, { from: alice.human_ref, to: 'agent:alices' })
    assert.deepEqual([forged.status, forged.body.code], [403, 'not_yours'])
    const own = await vouchAs(alice.client, { to: 'agent:alices' })
    assert.deepEqual([own.body.code, own.body.reason], ['cannot_vouch', 'own_agent'])
    const made = await vouchAs(alice.client, { to: 'agent:bobs', note: 'for bob' })
    assert.deepEqual([made.status, made.body.from], [200, alice.human_ref])
  })

  test('both ends can read a vouch, its giver can change it, and they or an operator can withdraw it', async () => {
    const { body } = await vouchAs(alice.client, { to: bob.human_ref, context: 'ends', note: 'a friend' })
    const path = `/v1/vat/trust/vouches/${body.vouch_id}`
    assert.equal((await bob.client.get(path)).body.note, 'a friend')
    const listed = await bob.client.get(`/v1/vat/trust/vouches?to=${bob.human_ref}`)
    assert.equal(listed.body.data[0].vouch_id, body.vouch_id)
    assert.deepEqual((await bob.client.get(`/v1/vat/trust/vouches?from=${alice.human_ref}`)).body.data, [])
    for (const answer of [
      await bob.client.call('PATCH', path, { weight: 0.5 }),
      await bob.client.post(`${path}/withdraw`),
    ])
      assert.deepEqual([answer.status, answer.body.code], [403, 'not_yours'])
    assert.equal((await operator.call('PATCH', path, { weight: 0.5 })).body.code, 'role_not_allowed')
    assert.equal((await alice.client.call('PATCH', path, { weight: 0.5 })).body.weight, 0.5)
    assert.equal((await operator.post(`${path}/withdraw`)).body.standing, false)
    const leaf = JSON.parse((await app.test.leafTexts()).at(-1) ?? '')
    assert.deepEqual([leaf.type, leaf.by], ['vouch.withdrawn', 'operator'])
  })

  test('a tenant sees nothing of another tenant', async () => {
    const stranger = app.withKey(await app.key('other', 'developer'))
    const foreign = await anAgent(app, stranger, { developer_email: 'alice@acme.example', agent_id: 'bobs' })
    const eve = await aPerson(app, 'other', foreign.human_ref)
    assert.equal((await vouchAs(eve.client, { to: bob.human_ref })).body.code, 'human_unknown')
    assert.equal((await vouchAs(eve.client, { to: 'agent:alices' })).body.code, 'agent_unknown')
    const seen = async (path: string) => (await stranger.get(`/v1/vat/trust/${path}`)).body.code
    assert.equal(await seen(`scores/${bob.human_ref}`), 'human_unknown')
    assert.equal(await seen(`paths?from=${alice.human_ref}&to=agent:bobs`), 'human_unknown')
    assert.deepEqual((await stranger.get('/v1/vat/trust/vouches')).body.data, [])
    const own = (await developer.get('/v1/vat/trust/scores/agent:bobs')).body
    assert.equal(own.flow, 0.7, 'alice has signed in and vouches for the agent of her tenant')
    assert.equal((await stranger.get('/v1/vat/trust/scores/agent:bobs')).body.flow, 0)
    assert.deepEqual((await stranger.get('/v1/vat/trust/ranking')).body.data, [])
  })

  test('people see who gave a vouch only if they are one of its ends, or in their own score', async () => {
    const cleos = await anAgent(app, developer, { developer_email: 'cleo@acme.example', agent_id: 'cleos' })
    const cleo = await aPerson(app, 'acme', cleos.human_ref)
    await vouchAs(alice.client, { to: cleo.human_ref, context: 'seen' })
    const { body: mine } = await vouchAs(cleo.client, { to: bob.human_ref, context: 'seen' })
    await vouchAs(bob.client, { to: 'agent:cleos', context: 'seen' })
    const explained = async (client: Client, subject: string, query = '') =>
      (await client.get(`/v1/vat/trust/scores/${subject}?explain=1&context=seen${query}`)).body
    const whole = await explained(operator, 'agent:cleos')
    const seen = await explained(cleo.client, 'agent:cleos')
    assert.deepEqual([seen.score, seen.flow, seen.withheld], [whole.score, whole.flow, true])
    assert.equal(whole.withheld, undefined)
    const others = [alice.human_ref, bob.human_ref].filter((ref) => ref !== mine.from)
    // Cleo gave one vouch on the path and got one. The givers of the others aren't named.
    const steps = seen.paths.flatMap((path: { steps: object[] }) => path.steps)
    assert.equal(steps.length, whole.paths.flatMap((path: { steps: object[] }) => path.steps).length)
    for (const step of steps) if (!('vouch_id' in step)) assert.deepEqual(Object.keys(step), ['capacity'])
    assert.ok(steps.some((step: { vouch_id?: string }) => step.vouch_id === mine.vouch_id))
    assert.ok(steps.some((step: object) => !('from' in step)))
    for (const part of seen.cut) if (part.limit !== 'vouch') assert.ok(!others.includes(part.human_ref))
    // A person gets the full explanation of their own score.
    const own = await explained(bob.client, bob.human_ref)
    assert.deepEqual(own, await explained(operator, bob.human_ref))

    for (const path of [
      `scores/agent:cleos?as=${alice.human_ref}`,
      `paths?from=${alice.human_ref}&to=agent:cleos`,
    ])
      assert.deepEqual(
        [(await cleo.client.get(`/v1/vat/trust/${path}`)).body.code, path],
        ['not_yours', path],
      )
    const way = (
      await cleo.client.get(`/v1/vat/trust/paths?from=${cleo.human_ref}&to=agent:cleos&context=seen`)
    ).body
    assert.deepEqual(
      way.paths[0].steps.map(({ from }: { from?: string }) => from),
      [cleo.human_ref, undefined],
    )

    for (const around of [alice.human_ref, cleo.human_ref, 'agent:bobs']) {
      const { body } = await cleo.client.get(`/v1/vat/trust/graph?around=${around}&depth=3`)
      assert.equal(body.withheld, true)
      for (const { from, to } of body.edges) assert.ok([from, to].includes(cleo.human_ref), `${from} ${to}`)
      const known = [
        around,
        ...body.edges.flatMap(({ from, to }: { from: string; to: string }) => [from, to]),
      ]
      for (const { subject, base } of body.nodes) {
        assert.ok(known.includes(subject))
        assert.ok(base === undefined || subject === cleo.human_ref)
      }
    }
    const all = (await operator.get(`/v1/vat/trust/graph?around=${cleo.human_ref}&depth=3`)).body
    assert.ok(
      all.edges.some(({ from, to }: { from: string; to: string }) => ![from, to].includes(cleo.human_ref)),
    )
  })

  test('agents and resource servers see a score, but not who vouched', async () => {
    const server = app.withKey(
      await app.key('acme', 'resource_server', { audience: 'https://api.acme.example' }),
    )
    for (const client of [alices.client, server]) {
      const path = '/v1/vat/trust/scores/agent:bobs'
      const plain = await client.get(path)
      assert.deepEqual([plain.status, plain.body.paths], [200, undefined], JSON.stringify(plain.body))
      for (const query of ['explain=1', `as=${alice.human_ref}`])
        assert.equal((await client.get(`${path}?${query}`)).body.code, 'role_not_allowed')
    }
  })

  test('a tenant can require a fresh passkey for vouching, but never for withdrawing', async () => {
    const { body } = await vouchAs(alice.client, { to: bob.human_ref, context: 'before' })
    const path = `/v1/vat/trust/vouches/${body.vouch_id}`
    await app.operator.call('PATCH', '/v1/vat/tenants/acme', { step_up: ['vouch'] })
    for (const answer of [
      await vouchAs(alice.client, { to: bob.human_ref, context: 'after' }),
      await alice.client.call('PATCH', path, { weight: 0.1 }),
    ])
      assert.deepEqual([answer.status, answer.body.code], [403, 'step_up_required'])
    assert.equal((await alice.client.post(`${path}/withdraw`)).status, 200)
    await app.operator.call('PATCH', '/v1/vat/tenants/acme', { step_up: [] })
  })
})

test('several nodes store and show the same scores', async () => {
  const other = await aTestApp({ after }, { node_of: service, rate_limit: 0 })
  const ada = await verified()
  const gated = await somebody({ constraints: { min_vouch_score: 0.3 } })
  await vouched(ada, gated.own_agent)
  await Promise.all([other.context.trustScores.keepScores(), service.context.trustScores.keepScores()])
  const path = `/v1/vat/trust/scores/${encodeURIComponent(gated.own_agent)}`
  assert.deepEqual((await other.get(path)).body, (await service.get(path)).body)
  const request = { vat_jti: gated.jti, action: 'read', resource: 'calendar:events' }
  assert.equal((await other.post('/v1/vat/authorize', request)).body.authorized, true)
})
