import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { deputy, newAgentKey } from '@deputize/sdk'

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Never verified in these tests. */
const compact_jwt = [
  encoded({ alg: 'EdDSA' }),
  encoded({ jti: 'vat_root_1' }),
  Buffer.alloc(64).toString('base64url'),
].join('.')
const SERVICE = 'https://deputy.example'

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/** Returns an authority whose requests are recorded instead of sent. */
function anAgent(options: { readonly allow_http?: boolean } = {}) {
  const sent: { readonly url: string; readonly authorization: string | null }[] = []
  const keep: typeof fetch = async (input, init) => {
    sent.push({ url: String(input), authorization: new Headers(init?.headers).get('authorization') })
    return new Response('ok')
  }
  return { sent, agent: deputy({ url: SERVICE, fetch: keep, ...options }).withAuthority(compact_jwt) }
}

async function aServer(t: { after(end: () => void): void }, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('agent.fetch', () => {
  test('sends the token over https, and over http only to this machine', async () => {
    const { agent, sent } = anAgent()
    const allowed = [
      'https://api.example/x',
      'http://127.0.0.1:1/x',
      'http://localhost/x',
      'http://[::1]:1/x',
    ]
    for (const url of allowed) assert.equal((await agent.fetch(url)).status, 200)
    for (const url of ['http://api.example/x', 'http://127.0.0.1.example/x', 'http://localhost.example/x'])
      await assert.rejects(agent.fetch(url), /^TypeError: Credentials are sent over https only/)
    await assert.rejects(agent.fetch('/events'), TypeError)
    assert.deepEqual(
      sent,
      allowed.map((url) => ({ url, authorization: `Bearer ${compact_jwt}` })),
    )
  })

  test('sends the token over http to other machines if allow_http is set', async () => {
    const { agent, sent } = anAgent({ allow_http: true })
    await agent.fetch(new URL('http://api.example/x'))
    assert.equal(sent[0]?.authorization, `Bearer ${compact_jwt}`)
  })

  test('follows a redirect to another origin without the token', async (t) => {
    const seen: (string | undefined)[] = []
    const other = await aServer(t, ({ headers }, response) => {
      seen.push(headers.authorization)
      response.end('moved')
    })
    const first = await aServer(t, ({ headers }, response) => {
      seen.push(headers.authorization)
      response.writeHead(307, { location: other }).end()
    })
    const agent = deputy({ url: SERVICE }).withAuthority(compact_jwt)
    assert.equal(await (await agent.fetch(first)).text(), 'moved')
    assert.deepEqual(seen, [`Bearer ${compact_jwt}`, undefined])
    assert.equal((await agent.fetch(first, { redirect: 'manual' })).status, 307)
  })

  test('follows a redirect as fetch does, with a proof for the new address', async (t) => {
    const seen: unknown[] = []
    const other = await aServer(t, ({ method, headers }, response) => {
      seen.push([method, headers.authorization, headers.dpop, headers['x-mine']])
      response.end('elsewhere')
    })
    const ways: Readonly<Record<string, readonly [number, string]>> = {
      '/a': [307, '/b?n=1'],
      '/b?n=1': [303, '/c'],
      '/away': [302, other],
      '/circle': [308, '/circle'],
    }
    const first = await aServer(t, async (request, response) => {
      const { method, url = '', headers } = request
      const chunks = await request.setEncoding('utf8').toArray()
      const { htm, htu } = claimsOf(String(headers.dpop))
      const isOwn = htm === method && htu === `${first}${url.split('?')[0]}`
      seen.push([method, url, isOwn, headers.authorization?.split(' ')[0], chunks.join('')])
      const [status, location] = ways[url] ?? [200, undefined]
      response.writeHead(status, location === undefined ? {} : { location }).end('here')
    })
    const agent_key = await newAgentKey()
    const agent = deputy({ url: SERVICE }).withAuthority(compact_jwt, { agent_key })
    const init = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain', 'x-mine': '1' } }
    assert.equal(await (await agent.fetch(`${first}/a`, init)).text(), 'here')
    assert.deepEqual(seen.splice(0), [
      ['POST', '/a', true, 'DPoP', 'x'],
      ['POST', '/b?n=1', true, 'DPoP', 'x'],
      ['GET', '/c', true, 'DPoP', ''],
    ])
    assert.equal(await (await agent.fetch(`${first}/away`, init)).text(), 'elsewhere')
    assert.deepEqual(seen.splice(0), [
      ['POST', '/away', true, 'DPoP', 'x'],
      ['GET', undefined, undefined, '1'],
    ])
    await assert.rejects(agent.fetch(`${first}/circle`), /^TypeError: .* redirects more than 20 times/)
    await assert.rejects(agent.fetch(`${first}/a`, { redirect: 'error' }), TypeError)
    assert.equal((await agent.fetch(`${first}/a`, { redirect: 'manual' })).status, 307)
  })

  test('follows no redirect with a bound token where the runtime hides its address', async () => {
    // As browsers answer.
    const hiding: typeof fetch = async () =>
      Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
    const client = deputy({ url: SERVICE, fetch: hiding })
    const agent = client.withAuthority(compact_jwt, { agent_key: await newAgentKey() })
    await assert.rejects(
      agent.fetch('https://api.example/x'),
      /^TypeError: https:.*x redirects, and browsers/,
    )
  })

  test("needs the token itself, so that it never sends the client's API key", async () => {
    const agent = deputy({ url: SERVICE, key: 'dk_secret' }).withAuthority('vat_root_1')
    await assert.rejects(agent.fetch('https://api.example'), /^TypeError: fetch needs the token itself/)
  })
})
