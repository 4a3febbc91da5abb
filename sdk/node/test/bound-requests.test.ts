import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { after, describe, test } from 'node:test'
import * as forExpress from '@deputize/sdk/express'
import * as forFastify from '@deputize/sdk/fastify'
import * as forHono from '@deputize/sdk/hono'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { serve } from '@hono/node-server'
import express, { type Request as ExpressRequest } from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'

const open = await anOpenDeployment({ after })
const options = { url: open.url, max_body_bytes: 10_000 }
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

type Transfer = { to?: unknown; amount?: unknown }
const summaryOf = ({ to, amount }: Transfer = {}) => ({ to, amount })

/** A bank that records what its handlers saw. */
interface Bank {
  readonly url: string
  readonly seen: unknown[]
}

type Start = (scope: TestScope, seen: unknown[]) => Promise<string>

const listening = async (scope: TestScope, server: Server): Promise<string> => {
  if (!server.listening) await once(server, 'listening')
  scope.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const quietExpress = () => express().set('env', 'test')

/** The set-ups in which the guard can bind the body. */
const BANKS: Readonly<Record<string, Start>> = {
  async 'Express, with the parser after the guard'(scope, seen) {
    const authority = forExpress.deputyGuard(options)
    const app = quietExpress()
    app.post(
      '/transfers/:bank',
      authority('transfer', 'bank:main', { summary: () => 'a transfer' }),
      express.json(),
      (req, res) => {
        seen.push(req.body)
        res.json(req.body ?? null)
      },
    )
    app.post('/uploads', authority('transfer', 'bank:main', { bind_body: false }), (req, res) => {
      seen.push('upload')
      req.pipe(res)
    })
    return listening(scope, app.listen(0, '127.0.0.1'))
  },
  async 'Express, with a parser that keeps the body before the guard'(scope, seen) {
    const authority = forExpress.deputyGuard(options)
    const app = quietExpress()
    app.use(express.json({ verify: forExpress.keepBody }))
    app.post(
      '/transfers/:bank',
      authority('transfer', 'bank:main', { summary: (req: ExpressRequest) => summaryOf(req.body) }),
      (req, res) => {
        seen.push(req.body)
        res.json(req.body ?? null)
      },
    )
    app.post('/uploads', authority('transfer', 'bank:main', { bind_body: false }), (req, res) => {
      seen.push('upload')
      res.json(req.body)
    })
    return listening(scope, app.listen(0, '127.0.0.1'))
  },
  async Fastify(scope, seen) {
    const authority = forFastify.deputyGuard(options)
    const app = fastify({ bodyLimit: 10_000 })
    const summary = (request: { body: unknown }) => summaryOf((request.body ?? {}) as Transfer)
    app.post('/transfers/:bank', authority('transfer', 'bank:main', { summary }), async (request) => {
      seen.push(request.body)
      return request.body ?? null
    })
    app.post('/uploads', authority('transfer', 'bank:main', { bind_body: false }), async (request) => {
      seen.push('upload')
      return request.body
    })
    scope.after(() => app.close())
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
  async Hono(scope, seen) {
    const authority = forHono.deputyGuard(options)
    const app = new Hono()
    app.post(
      '/transfers/:bank',
      authority('transfer', 'bank:main', {
        summary: async (c) => summaryOf(await c.req.json().catch(() => undefined)),
      }),
      async (c) => {
        const text = await c.req.text()
        seen.push(text === '' ? undefined : JSON.parse(text))
        return c.body(text === '' ? 'null' : text)
      },
    )
    app.post('/uploads', authority('transfer', 'bank:main', { bind_body: false }), async (c) => {
      seen.push('upload')
      return c.body(await c.req.arrayBuffer())
    })
    return listening(scope, serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server)
  },
}

/** Returns the request in the metadata. */
const requestIn = (metadata: Readonly<Record<string, unknown>> | undefined) =>
  (metadata?.request ?? {}) as Record<string, unknown>

const aBank = async (start: Start): Promise<Bank> => {
  const seen: unknown[] = []
  return { url: await start({ after }, seen), seen }
}

const aTransferToken = (constraints = {}) =>
  open.token({ resources: ['bank:main'], actions: ['transfer'], constraints })

const ASKING = { require_approval: { actions: ['transfer'] } }

async function post(
  url: string,
  compact_jwt: string,
  body: string | undefined,
  approval_id?: string,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${compact_jwt}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(approval_id !== undefined && { 'deputy-approval': approval_id }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, answer: text.startsWith('{') ? JSON.parse(text) : { text } }
}

const ALICE = '{"to":"alice", "amount":10}'
const MALLORY = '{"to":"mallory", "amount":1000000}'

for (const [name, start] of Object.entries(BANKS))
  describe(`a guarded route on ${name}`, async () => {
    const bank = await aBank(start)
    const target = '/transfers/main?memo=rent%20May'

    test('an approval covers one body and one target: nothing else is executed with it', async () => {
      const { compact_jwt } = await aTransferToken(ASKING)
      const asked = await post(`${bank.url}${target}`, compact_jwt, ALICE)
      assert.deepEqual([asked.status, asked.answer.reason], [403, 'approval_required'])
      const approval_id = String(asked.answer.approval_id)
      const { metadata } = await open.client.getApproval({ id: approval_id })
      const { summary, ...request } = requestIn(metadata)
      assert.deepEqual(request, {
        method: 'POST',
        route: '/transfers/:bank',
        target,
        body_sha256: sha256(ALICE),
        content_type: 'application/json',
      })
      if (name !== 'Express, with the parser after the guard')
        assert.deepEqual(summary, { to: 'alice', amount: 10 })
      await open.client.approve({ id: approval_id })
      const before = bank.seen.length
      const others = [
        await post(`${bank.url}${target}`, compact_jwt, MALLORY, approval_id),
        await post(`${bank.url}/transfers/other`, compact_jwt, ALICE, approval_id),
        await post(`${bank.url}/transfers/main?memo=rent%20June`, compact_jwt, ALICE, approval_id),
        await post(`${bank.url}${target}`, compact_jwt, undefined, approval_id),
      ]
      for (const { status, answer } of others)
        assert.deepEqual([status, answer.reason], [403, 'approval_required'])
      assert.equal(bank.seen.length, before)
      const done = await post(`${bank.url}${target}`, compact_jwt, ALICE, approval_id)
      assert.deepEqual([done.status, done.answer], [200, { to: 'alice', amount: 10 }])
      assert.deepEqual(bank.seen.slice(before), [{ to: 'alice', amount: 10 }])
    })

    test('the record keeps the request, and the handler sees a body that arrives in parts', async () => {
      const { compact_jwt, provenance_ref } = await aTransferToken()
      const parts = ['{"to":"', 'a'.repeat(4_000), '","amount":', '1}']
      const response = await fetch(`${bank.url}/transfers/main`, {
        method: 'POST',
        headers: { authorization: `Bearer ${compact_jwt}`, 'content-type': 'application/json' },
        body: new Blob(parts).stream(),
        duplex: 'half',
      } as RequestInit)
      assert.equal(response.status, 200)
      assert.equal(((await response.json()) as Transfer).to, 'a'.repeat(4_000))
      const [record] = (await open.client.listRecords({ provenance_ref })).data
      const { body_sha256 } = requestIn(record?.metadata)
      assert.equal(body_sha256, sha256(parts.join('')))
    })

    test('a request without a body is bound as empty', async () => {
      const { compact_jwt, provenance_ref } = await aTransferToken()
      assert.equal((await post(`${bank.url}/transfers/main`, compact_jwt, undefined)).status, 200)
      const [record] = (await open.client.listRecords({ provenance_ref })).data
      assert.equal(requestIn(record?.metadata).body_sha256, sha256(''))
    })

    test('a body over the limit gets 413, and the handler never runs', async () => {
      const before = bank.seen.length
      const { compact_jwt } = await aTransferToken()
      const body = JSON.stringify({ to: 'x'.repeat(20_000) })
      const isParsedFirst = name.includes('keeps')
      const { status } = await post(`${bank.url}/transfers/main`, compact_jwt, body)
      // A parser before the guard has its own limit.
      assert.equal(status, isParsedFirst ? 200 : 413)
      assert.equal(bank.seen.length, before + (isParsedFirst ? 1 : 0))
    })

    test('a long target is shortened and bound by its digest', async () => {
      const { compact_jwt, provenance_ref } = await aTransferToken()
      const long = `/transfers/main?memo=${'m'.repeat(3_000)}`
      assert.equal((await post(`${bank.url}${long}`, compact_jwt, ALICE)).status, 200)
      const [record] = (await open.client.listRecords({ provenance_ref })).data
      const request = requestIn(record?.metadata)
      assert.equal(request.target_sha256, sha256(long))
      assert.match(String(request.target), /^.{1000}… \(2021 more characters\)$/)
    })

    test('a route that does not bind bodies accepts large ones and refuses approvals', async () => {
      const plain = await aTransferToken()
      const done = await post(`${bank.url}/uploads`, plain.compact_jwt, ALICE)
      assert.deepEqual([done.status, done.answer], [200, { to: 'alice', amount: 10 }])
      const [record] = (await open.client.listRecords({ provenance_ref: plain.provenance_ref })).data
      assert.deepEqual(record?.metadata?.request, { method: 'POST', route: '/uploads', target: '/uploads' })
      const before = bank.seen.length
      const asking = await aTransferToken(ASKING)
      for (const approval_id of [undefined, 'apr_x']) {
        const { status, answer } = await post(`${bank.url}/uploads`, asking.compact_jwt, ALICE, approval_id)
        assert.deepEqual([status, answer.reason], [403, 'approval_not_bound'])
        assert.match(
          String(answer.detail),
          /Ask the person who granted the token for one that needs no approval/,
        )
      }
      assert.equal(bank.seen.length, before)
    })
  })

describe('how a body is read', () => {
  /** As JSON, a transfer to alice; as a form, one to mallory. */
  const TWO_FORMS = '{"to":"alice","memo":"&to=mallory&"}'

  async function asked(url: string, content_type: string, compact_jwt: string, more = {}) {
    const headers = { authorization: `Bearer ${compact_jwt}`, 'content-type': content_type, ...more }
    const response = await fetch(url, { method: 'POST', headers, body: TWO_FORMS })
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
  }

  test('is part of what an approval covers', async (t) => {
    const app = quietExpress()
    app.use(express.json({ verify: forExpress.keepBody }))
    app.use(express.urlencoded({ extended: true, verify: forExpress.keepBody }))
    app.post('/transfers', forExpress.deputyGuard(options)('transfer', 'bank:main'), (req, res) => {
      res.json({ paid: req.body.to })
    })
    const url = `${await listening(t, app.listen(0, '127.0.0.1'))}/transfers`
    const { compact_jwt } = await aTransferToken(ASKING)
    const approval_id = String((await asked(url, 'application/json', compact_jwt)).answer.approval_id)
    await open.client.approve({ id: approval_id })
    const approved = { 'deputy-approval': approval_id }
    const form = 'application/x-www-form-urlencoded'
    for (const { status, answer } of [
      await asked(url, form, compact_jwt, approved),
      await asked(url, 'application/json', compact_jwt, { ...approved, 'content-encoding': 'identity' }),
    ])
      assert.deepEqual([status, answer.reason], [403, 'approval_required'])
    const done = await asked(url, 'application/json', compact_jwt, approved)
    assert.deepEqual([done.status, done.answer], [200, { paid: 'alice' }])
  })
})

describe('HTTP/2, where no header announces a body', () => {
  test('Fastify binds the body that its handler sees', async (t) => {
    const seen: unknown[] = []
    const app = fastify({ http2: true })
    t.after(() => app.close())
    const authority = forFastify.deputyGuard(options)
    app.post('/transfers', authority('transfer', 'bank:main'), async (request) => {
      seen.push(request.body)
      return {}
    })
    const session = connect(await app.listen({ host: '127.0.0.1', port: 0 }))
    t.after(() => session.destroy())

    async function send(body: string | undefined): Promise<unknown> {
      const { compact_jwt, provenance_ref } = await aTransferToken()
      const stream = session.request({
        ':method': 'POST',
        ':path': '/transfers',
        authorization: `Bearer ${compact_jwt}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      })
      const responded = once(stream, 'response')
      stream.end(body)
      const [headers] = await responded
      stream.resume()
      assert.equal(headers[':status'], 200)
      const [record] = (await open.client.listRecords({ provenance_ref })).data
      return requestIn(record?.metadata).body_sha256
    }

    assert.equal(await send(ALICE), sha256(ALICE))
    assert.equal(await send(undefined), sha256(''))
    assert.deepEqual(seen, [{ to: 'alice', amount: 10 }, undefined])
  })
})

describe('a body that was consumed before the guard', () => {
  const refuses = async (url: string, calls: () => number) => {
    const { compact_jwt } = await aTransferToken()
    const { status } = await post(`${url}/transfers`, compact_jwt, ALICE)
    assert.equal(status, 500)
    assert.equal(calls(), 0)
  }

  test('is refused on Express, with an error that says how to fix it', async (t) => {
    const errors: unknown[] = []
    let calls = 0
    const app = quietExpress()
    app.use(express.json())
    app.post('/transfers', forExpress.deputyGuard(options)('transfer', 'bank:main'), (_req, res) => {
      calls += 1
      res.end()
    })
    app.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(500).end()
    }) satisfies express.ErrorRequestHandler)
    await refuses(await listening(t, app.listen(0, '127.0.0.1')), () => calls)
    assert.match(String(errors[0]), /BodyNotBound.*keepBody/)
  })

  test('is refused on Fastify if no parser read it', async (t) => {
    let calls = 0
    const app = fastify()
    t.after(() => app.close())
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.post('/transfers', forFastify.deputyGuard(options)('transfer', 'bank:main'), async () => {
      calls += 1
      return {}
    })
    await refuses(await app.listen({ host: '127.0.0.1', port: 0 }), () => calls)
  })

  test('is refused on Hono if the raw request was read, and bound if Hono cached it', async (t) => {
    let calls = 0
    const app = new Hono()
    app.onError((_error, c) => c.text('it failed', 500))
    const authority = forHono.deputyGuard(options)
    app.use('/transfers', async (c, next) => {
      await c.req.raw.text()
      await next()
    })
    app.use('/cached', async (c, next) => {
      await c.req.json()
      await next()
    })
    app.post('/transfers', authority('transfer', 'bank:main'), (c) => {
      calls += 1
      return c.text('done')
    })
    app.post('/cached', authority('transfer', 'bank:main'), async (c) => c.json(await c.req.json()))
    const url = await listening(t, serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server)
    await refuses(url, () => calls)
    const { compact_jwt, provenance_ref } = await aTransferToken()
    assert.equal((await post(`${url}/cached`, compact_jwt, ALICE)).status, 200)
    const record = await eventually(
      'the record',
      async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
    )
    assert.equal(requestIn(record.metadata).body_sha256, sha256(ALICE))
  })

  test('the metadata of a route can be a value or a function of the request', async () => {
    const authority = forExpress.deputyGuard(options)
    const app = quietExpress()
    const given = { value: { shop: 'main' }, function: ({ path }: ExpressRequest) => ({ shop: path }) }
    for (const [kind, metadata] of Object.entries(given))
      app.post(`/${kind}`, authority('transfer', 'bank:main', { metadata }), (_req, res) => void res.json(1))
    const url = await listening({ after }, app.listen(0, '127.0.0.1'))
    for (const [path, shop] of [
      ['/value', 'main'],
      ['/function', '/function'],
    ]) {
      const { compact_jwt, provenance_ref } = await aTransferToken()
      assert.equal((await post(`${url}${path}`, compact_jwt, ALICE)).status, 200)
      const record = await eventually(
        'the record',
        async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
      )
      assert.equal(record.metadata?.shop, shop)
      assert.equal(requestIn(record.metadata).target, path)
    }
  })
})
