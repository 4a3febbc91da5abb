import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { proveAddress } from '../a-proven-address.ts'
import { agentOf, aKeyedApp, anAgent, aPerson, type Client, type Person } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
const developer = app.withKey(await app.key('acme', 'developer'))
const refOf = async (name: string) =>
  (await anAgent(app, developer, { developer_email: `${name}@example.com`, agent_id: `${name}-bot` }))
    .human_ref
const person = async (name: string) => aPerson(app, 'acme', await refOf(name))
const [owner, anna, bert, carl, rita] = [
  await person('owner'),
  await person('anna'),
  await person('bert'),
  await person('carl'),
  await person('rita'),
]
const reviewedBy = (...reviewers: string[]) =>
  app.operator.call('PATCH', '/v1/vat/tenants/acme', { reviewers })
await reviewedBy(rita.human_ref)

const refs = (...people: Person[]) => people.map(({ human_ref }) => human_ref)

async function anAgentWith(approvers: object, more: object = {}, name = 'owner') {
  return anAgent(app, developer, {
    developer_email: `${name}@example.com`,
    agent_id: 'paying-bot',
    constraints: { require_approval: { actions: ['write'], approvers, ...more } },
  })
}

type Asking = Awaited<ReturnType<typeof anAgentWith>>
let asked = 0

async function ask({ client, jti }: Asking, changes: Record<string, unknown> = {}) {
  asked += 1
  const request = { vat_jti: jti, action: 'write', resource: 'calendar:events', metadata: { n: asked } }
  const again = (more: object = {}) =>
    client.post('/v1/vat/authorize', { ...request, ...changes, ...more }).then(({ body }) => body)
  const { approval_id } = await again()
  return { approval_id: String(approval_id), use: () => again({ approval_id }) }
}

const approve = ({ client }: Person, id: string, body: object = {}) =>
  client.post(`/v1/vat/approvals/${id}/approve`, body)
const deny = ({ client }: Person, id: string) => client.post(`/v1/vat/approvals/${id}/deny`)
const shown = async (client: Client, id: string) => (await client.get(`/v1/vat/approvals/${id}`)).body

describe('an approval that several people decide', () => {
  test('is given once the required number of people have approved, and shows the progress', async () => {
    const agent = await anAgentWith({ count: 2, people: refs(anna, bert, carl) })
    const { approval_id, use } = await ask(agent)
    const first = await approve(anna, approval_id, { note: 'fine with me' })
    assert.deepEqual([first.status, first.body.state], [200, 'pending'])
    assert.equal((await use()).authorized, false)
    const progress = await shown(carl.client, approval_id)
    assert.deepEqual(
      [progress.required, progress.decisions.length, progress.decisions[0].by, progress.note],
      [2, 1, anna.human_ref, 'fine with me'],
    )
    assert.deepEqual(progress.approvers, [{ count: 2, people: refs(anna, bert, carl) }])
    const second = await approve(bert, approval_id)
    assert.deepEqual([second.body.state, second.body.decided_by], ['approved', bert.human_ref])
    assert.deepEqual(
      second.body.decisions.map(({ by, decision }: { by: string; decision: string }) => [by, decision]),
      refs(anna, bert).map((ref) => [ref, 'approved']),
    )
    assert.equal((await use()).authorized, true)
    const late = await approve(carl, approval_id)
    assert.deepEqual([late.status, late.body.code], [409, 'approval_decided'])
  })

  test('counts each person once', async () => {
    const agent = await anAgentWith({ count: 2, people: refs(anna, bert) })
    const { approval_id } = await ask(agent)
    await approve(anna, approval_id)
    const again = await approve(anna, approval_id)
    assert.deepEqual([again.status, again.body.code, again.body.state], [409, 'approval_decided', 'pending'])
    assert.equal((await shown(anna.client, approval_id)).state, 'pending')
  })

  test('counts each person once when everyone approves at the same moment', async () => {
    const agent = await anAgentWith({ count: 3, people: refs(anna, bert, carl) })
    const { approval_id } = await ask(agent)
    const everyone = [anna, bert, carl, anna, bert, carl, anna]
    const answers = await Promise.all(everyone.map((one) => approve(one, approval_id)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 3)
    const { state, decisions } = await shown(anna.client, approval_id)
    assert.deepEqual([state, decisions.length], ['approved', 3])
  })

  test('is denied if one of them or the person that the agent acts for denies it', async () => {
    const agent = await anAgentWith({ count: 2, people: refs(anna, bert, carl) })
    for (const decider of [bert, owner]) {
      const { approval_id, use } = await ask(agent)
      await approve(anna, approval_id)
      const denied = await deny(decider, approval_id)
      assert.deepEqual([denied.body.state, denied.body.decided_by], ['denied', decider.human_ref])
      assert.equal((await use()).reason, 'approval_denied')
    }
  })

  test('is never given by only the person that the agent acts for', async () => {
    const agent = await anAgentWith({ count: 1, people: refs(owner, anna) })
    const { approval_id } = await ask(agent)
    assert.equal((await approve(owner, approval_id)).body.state, 'pending')
    assert.equal((await approve(anna, approval_id)).body.state, 'approved')
    for (const people of [refs(owner), []]) {
      const refused = await developer.post('/v1/vat/issue/l1', {
        developer_email: 'owner@example.com',
        agent_id: 'paying-bot',
        resources: ['calendar:events'],
        actions: ['write'],
        constraints: { require_approval: { approvers: { count: 1, people } } },
      })
      assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request'])
    }
  })

  test('recognizes a person in a session that began before they proved their address', async () => {
    const address = await refOf('olga')
    const account = `sha256:${'0'.repeat(64)}`
    const early = await aPerson(app, 'acme', account)
    await proveAddress(app.test, { tenant_id: 'acme', account, address })
    const late = await aPerson(app, 'acme', account, [address])
    await reviewedBy(rita.human_ref, account)

    const own = await anAgentWith({ count: 1, role: 'reviewer' }, {}, 'olga')
    const asked_for_olga = (await ask(own)).approval_id
    assert.equal((await approve(early, asked_for_olga)).body.state, 'pending', 'she is never the only one')
    assert.equal((await approve(rita, asked_for_olga)).body.state, 'approved')

    const named = await anAgentWith({ count: 1, people: [address, anna.human_ref] })
    const below = await named.client.post('/v1/vat/delegate', {
      vat_jti: named.jti,
      agent_id: 'paying-bot',
      actions: ['write'],
      constraints: { require_approval: { actions: ['write'], approvers: { count: 2, role: 'reviewer' } } },
    })
    const { approval_id } = await ask(agentOf(app, below.body, named.key))
    assert.equal((await approve(late, approval_id)).body.state, 'pending')
    const again = await approve(early, approval_id)
    assert.deepEqual([again.status, again.body.code], [409, 'approval_decided'], 'she counts once')
    assert.equal((await approve(rita, approval_id)).body.state, 'approved')
    await reviewedBy(rita.human_ref)
  })

  test('can be given only by people with the required role', async () => {
    const agent = await anAgentWith({ count: 1, role: 'reviewer' })
    const { approval_id } = await ask(agent)
    const own = await approve(owner, approval_id)
    assert.deepEqual([own.status, own.body.code], [403, 'not_an_approver'])
    const stranger = await approve(anna, approval_id)
    assert.deepEqual([stranger.status, stranger.body.code], [404, 'approval_unknown'])
    assert.equal((await approve(rita, approval_id)).body.state, 'approved')
  })

  test('is not given by a reviewer whom the token does not name', async () => {
    const agent = await anAgentWith({ count: 1, people: refs(anna) })
    const { approval_id } = await ask(agent)
    const refused = await approve(rita, approval_id)
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_an_approver'])
    const batch = await rita.client.post('/v1/vat/approvals/batch', {
      items: [{ approval_id, decision: 'approved' }],
    })
    assert.equal(batch.body.items[0].problem.code, 'not_an_approver')
  })

  test('needs the approvers of every token in the chain, and a child cannot weaken them', async () => {
    const parent = await anAgentWith({ count: 2, people: refs(anna, bert, carl) })
    const delegate = (approvers: object) =>
      parent.client.post('/v1/vat/delegate', {
        vat_jti: parent.jti,
        agent_id: 'helper-bot',
        agent_jwk: parent.key.jwk,
        actions: ['write'],
        constraints: { require_approval: { approvers } },
      })
    for (const approvers of [
      { count: 1, people: refs(anna, bert) },
      { count: 2, people: refs(anna, bert, rita) },
    ]) {
      const { status, body } = await delegate(approvers)
      assert.deepEqual([status, body.code], [403, 'scope_widening'], JSON.stringify(body))
    }
    const { status, body } = await delegate({ count: 1, role: 'reviewer' })
    assert.deepEqual([status, body.code], [403, 'scope_widening'])
    const child = await delegate({ count: 2, people: refs(anna, bert) })
    assert.equal(child.status, 201, JSON.stringify(child.body))
    const request = { vat_jti: child.body.jti, action: 'write', resource: 'calendar:events' }
    const helper = agentOf(app, child.body, parent.key)
    const { approval_id } = (await helper.client.post('/v1/vat/authorize', request)).body
    assert.equal((await approve(anna, approval_id)).body.state, 'pending')
    const other = await approve(carl, approval_id)
    assert.equal(other.body.state, 'pending', 'the child names anna and bert')
    assert.equal((await approve(bert, approval_id)).body.state, 'approved')
  })

  test('also needs the person whom a token above asks: a child that names others cannot bypass them', async () => {
    const parent = await anAgent(app, developer, {
      developer_email: 'owner@example.com',
      agent_id: 'paying-bot',
      constraints: { require_approval: { actions: ['write'] } },
    })
    const { status, body } = await parent.client.post('/v1/vat/delegate', {
      vat_jti: parent.jti,
      agent_id: 'paying-bot',
      actions: ['read', 'write'],
      constraints: { require_approval: { actions: ['read'], approvers: { count: 1, people: refs(anna) } } },
    })
    assert.equal(status, 201, JSON.stringify(body))
    const child = agentOf(app, body, parent.key)
    const { approval_id, use } = await ask(child)
    const first = await approve(anna, approval_id)
    assert.deepEqual([first.body.state, first.body.required], ['pending', 2])
    assert.equal((await use()).authorized, false)
    assert.equal((await approve(owner, approval_id)).body.state, 'approved')
    assert.equal((await use()).authorized, true)
    const other = await ask(child)
    assert.equal((await approve(owner, other.approval_id)).body.state, 'pending')
    assert.equal((await approve(anna, other.approval_id)).body.state, 'approved')
    const free = await ask(child, { action: 'read' })
    assert.equal((await approve(anna, free.approval_id)).body.state, 'approved', 'only the child asks')
  })

  test('accepts no grant and follows no habit', async () => {
    const agent = await anAgentWith({ count: 1, people: refs(anna) }, { auto_approve_after: 1 })
    const { approval_id, use } = await ask(agent, { metadata: { same: 1 } })
    const refused = await approve(anna, approval_id, { grant: { minutes: 30 } })
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request'])
    await approve(anna, approval_id)
    assert.equal((await use()).authorized, true)
    for (let n = 0; n < 5; n++) {
      const next = await ask(agent, { metadata: { same: 1 } })
      assert.match(next.approval_id, /^apr_/)
    }
    assert.deepEqual((await owner.client.get('/v1/vat/approvals/habits')).body.data, [])
  })

  test('is listed only for its approvers and for the person that the agent acts for', async () => {
    const agent = await anAgentWith({ count: 2, people: refs(anna, bert) })
    const byRole = await anAgentWith({ count: 1, role: 'reviewer' })
    const ids = [(await ask(agent)).approval_id, (await ask(byRole)).approval_id]
    const listed = async ({ client }: Person, query = '') => {
      const { body } = await client.get(`/v1/vat/approvals?state=pending${query}`)
      const all = body.data.map(({ approval_id }: { approval_id: string }) => approval_id)
      return ids.map((id) => all.includes(id))
    }
    assert.deepEqual(await listed(owner), [true, true])
    assert.deepEqual(await listed(anna), [true, false])
    assert.deepEqual(await listed(rita), [false, true])
    assert.deepEqual(await listed(carl), [false, false])
    assert.deepEqual(await listed(anna, `&human_ref=${owner.human_ref}`), [true, false])
    assert.deepEqual(await listed(anna, `&human_ref=${bert.human_ref}`), [false, false])
  })

  test("is listed once across pages, together with requests of the approver's own agents", async () => {
    const others = await anAgentWith({ count: 2, people: refs(carl, bert) })
    const own = await anAgent(app, developer, {
      developer_email: 'carl@example.com',
      agent_id: 'carl-bot',
      constraints: {
        require_approval: { actions: ['write'], approvers: { count: 1, people: refs(carl, anna) } },
      },
    })
    const made: string[] = []
    for (let n = 0; n < 5; n++) made.push((await ask(n % 2 === 0 ? others : own)).approval_id)
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await carl.client.get(`/v1/vat/approvals?limit=2${cursor}`)
      seen.push(...body.data.map(({ approval_id }: { approval_id: string }) => approval_id))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    assert.deepEqual(seen.slice(0, 5), made.reverse())
    assert.equal(new Set(seen).size, seen.length)
  })

  test('is on the page of its approvers, with the requested action and a button to approve', async () => {
    const agent = await anAgentWith({ count: 2, people: refs(anna, bert) })
    const request = {
      method: 'POST',
      target: '/pay/\u202Eanna',
      route: '/pay/:to',
      summary: 'Pay <b>$10</b>',
    }
    const { approval_id } = await ask(agent, { metadata: { request } })
    const page = async ({ client }: Person) => {
      const cards = String((await client.get('/me')).body).split(' class="card"')
      return cards.find((card) => card.includes(approval_id)) ?? ''
    }
    const card = await page(anna)
    assert.match(card, /Pay &#60;b&#62;\$10&#60;\/b&#62;/)
    assert.match(card, /POST \/pay\/⟨U\+202E⟩anna/)
    assert.match(card, /Needs the approval of 2 people\. Nobody has approved yet\./)
    assert.match(card, />Approve</)
    await approve(anna, approval_id)
    assert.match(await page(anna), /You approved this/)
    assert.match(await page(bert), /1 approved so far/)
    const own = await page(owner)
    assert.match(own, /Other people approve this/)
    assert.match(own, />Deny…</)
    assert.equal(await page(carl), '')
  })
})
