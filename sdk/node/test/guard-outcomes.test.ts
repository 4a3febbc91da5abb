import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import * as forExpress from '@deputize/sdk/express'
import * as forFastify from '@deputize/sdk/fastify'
import * as forHono from '@deputize/sdk/hono'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { type HttpBindings, serve } from '@hono/node-server'
import express from 'express'
import { type FastifyReply, fastify } from 'fastify'
import { Hono } from 'hono'

const open = await anOpenDeployment({ after })
const options = { url: open.url }
const HASH = `sha256:${createHash('sha256').update('one\ntwo\n').digest('hex')}`

async function listening(scope: TestScope, server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening')
  scope.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What a streaming handler sends. `proceed` lets it go on after the first line. */
interface Source {
  readonly proceed: () => void
  readonly lines: () => AsyncGenerator<Buffer>
}

function aSource(ending: 'ends' | 'breaks'): Source {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    proceed: resolve,
    async *lines() {
      yield Buffer.from('one\n')
      await promise
      if (ending === 'breaks') throw new Error('the calendar is on fire')
      yield Buffer.from('two\n')
    },
  }
}

async function* broken(): AsyncGenerator<Buffer> {
  yield* []
  throw new Error('the calendar is on fire')
}

/** A response as packages with a `fetch` of their own have it. */
class ForeignResponse {
  readonly #own: Response
  readonly [Symbol.toStringTag] = 'Response'

  constructor(...parts: ConstructorParameters<typeof Response>) {
    this.#own = new Response(...parts)
  }

  get status() {
    return this.#own.status
  }

  get headers() {
    return this.#own.headers
  }

  get body() {
    return this.#own.body
  }
}

// Node declares its own type for the stream of the web.
const web = (lines: AsyncGenerator<Buffer>) => Readable.toWeb(Readable.from(lines)) as ReadableStream

/** Starts an API whose handlers send `lines`. Returns its address. */
type Start = (scope: TestScope, lines: Source['lines']) => Promise<string>

const APIS: Readonly<Record<string, Start>> = {
  async Express(scope, lines) {
    const authority = forExpress.deputyGuard(options)
    const app = express().set('env', 'test')
    app.use('/', authority('read', 'calendar:events'))
    app.get('/whole', (_request, response) => void response.send('one\ntwo\n'))
    app.get(
      '/stream',
      (_request, response) => void pipeline(Readable.from(lines()), response, () => undefined),
    )
    app.get(
      '/broken',
      (_request, response) => void pipeline(Readable.from(broken()), response, () => undefined),
    )
    app.get('/latin1', (_request, response) => {
      response.write('e9', 'hex')
      response.end('é', 'latin1')
    })
    app.get('/unsendable', (_request, response) => void response.end(42))
    app.get('/stopped', async (request, response) => {
      request.once('aborted', () => response.destroy(new Error('nobody listens')))
      for await (const line of lines()) response.write(line)
    })
    app.get('/written', async (_request, response) => {
      for await (const line of lines()) response.write(line)
      response.end()
    })
    return listening(scope, app.listen(0, '127.0.0.1'))
  },
  async Fastify(scope, lines) {
    const authority = forFastify.deputyGuard(options)
    const app = fastify()
    const guarded = authority('read', 'calendar:events')
    app.get('/whole', guarded, async () => 'one\ntwo\n')
    app.get('/stream', guarded, async () => Readable.from(lines()))
    app.get('/broken', guarded, async () => Readable.from(broken()))
    app.get('/web', guarded, async () => web(lines()))
    app.get('/response', guarded, async () => new Response(web(lines())))
    app.get('/missing', guarded, async () => new Response('nothing here', { status: 404 }))
    app.get('/unsendable', guarded, async (_request, reply) => {
      reply.type('text/plain')
      return { not: 'a text' }
    })
    app.get('/foreign', guarded, async () => new ForeignResponse(web(lines())))
    app.get('/foreign-error', guarded, async () => new ForeignResponse('no calendar', { status: 500 }))
    app.get('/destroyed', guarded, async () => {
      const stream = new PassThrough()
      void Readable.from(lines())
        .forEach((line) => void stream.write(line))
        .then(() => stream.destroy())
      return stream
    })
    const preValidation = async (_request: unknown, reply: FastifyReply) =>
      void (await once(reply.raw, 'close'))
    app.get('/left', { ...guarded, preValidation }, async () => 'one\ntwo\n')
    app.get('/late', guarded, async (_request, reply) => {
      await once(reply.raw, 'close')
      return Readable.from(lines())
    })
    app.get('/raw', guarded, async (_request, reply) => {
      reply.hijack()
      pipeline(Readable.from(lines()), reply.raw, () => undefined)
    })
    scope.after(() => app.close())
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
  async Hono(scope, lines) {
    const authority = forHono.deputyGuard(options)
    const app = new Hono<{ Bindings: HttpBindings; Variables: forHono.AuthorityVariables }>()
    app.use(authority('read', 'calendar:events'))
    app.get('/whole', (c) => c.text('one\ntwo\n'))
    app.get('/stream', () => new Response(web(lines())))
    app.get('/broken', () => new Response(web(broken())))
    app.get('/late', async (c) => {
      await once(c.env.outgoing, 'close')
      return new Response(web(lines()))
    })
    app.get('/text', () => {
      throw 'a text, which is not an Error'
    })
    return listening(scope, serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server)
  },
}

const STREAMS: readonly [framework: string, path: string, hash: string | undefined][] = [
  ['Express', '/stream', HASH],
  ['Express', '/written', HASH],
  ['Fastify', '/stream', HASH],
  ['Fastify', '/web', HASH],
  ['Fastify', '/response', HASH],
  ['Fastify', '/foreign', HASH],
  ['Fastify', '/raw', undefined],
  ['Hono', '/stream', HASH],
]

const LEFT: readonly (readonly [framework: string, path: string])[] = [
  ...STREAMS.map(([framework, path]) => [framework, path] as const),
  ['Express', '/stopped'],
]

const UNSENT: readonly [framework: string, path: string][] = [
  ['Express', '/broken'],
  ['Express', '/unsendable'],
  ['Fastify', '/broken'],
  ['Fastify', '/missing'],
  ['Fastify', '/unsendable'],
  ['Fastify', '/foreign-error'],
  ['Hono', '/broken'],
  ['Hono', '/text'],
]

function completed(provenance_ref: string) {
  return eventually(
    'a completed record',
    async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
  )
}

/** Begins a request, and returns the response and the record of its action. */
async function begun(scope: TestScope, framework: string, source: Source, path: string, method = 'GET') {
  const { compact_jwt, provenance_ref } = await open.token()
  const url = (await APIS[framework]?.(scope, source.lines)) ?? ''
  const request = get(`${url}${path}`, { method, headers: { authorization: `Bearer ${compact_jwt}` } })
  const response = once(request, 'response').then(([response]) => response as Readable)
  const record = () => completed(provenance_ref)
  const hasBegun = () =>
    eventually(
      'a pending record',
      async () => (await open.client.listRecords({ provenance_ref })).data.length > 0,
    )
  return { request, response, record, hasBegun }
}

const isWhole = (response: Readable) =>
  response.toArray().then(
    () => true,
    () => false,
  )

describe('the record of a guarded request', () => {
  for (const [framework, path, hash] of STREAMS) {
    test(`has the outcome of the whole stream: ${framework} ${path}`, async (t) => {
      const source = aSource('ends')
      const { response, record } = await begun(t, framework, source, path)
      const given = await response
      source.proceed()
      assert.equal(await isWhole(given), true)
      const { result, result_hash } = await record()
      assert.deepEqual([result, result_hash], ['success', hash])
    })

    test(`says error if the handler breaks the stream off: ${framework} ${path}`, async (t) => {
      const source = aSource('breaks')
      const { response, record } = await begun(t, framework, source, path)
      const given = await response
      source.proceed()
      assert.equal(await isWhole(given), false)
      const { result, result_hash } = await record()
      assert.deepEqual([result, result_hash], ['error', undefined])
    })
  }

  for (const [framework, path] of LEFT)
    test(`does not say error, and has no hash, if the caller leaves the stream: ${framework} ${path}`, async (t) => {
      const source = aSource('ends')
      const { request, response, record } = await begun(t, framework, source, path)
      await once(await response, 'data')
      request.destroy()
      const { result, result_hash } = await record()
      assert.deepEqual([result, result_hash], ['success', undefined])
      source.proceed()
    })

  for (const framework of ['Fastify', 'Hono'])
    test(`is completed if the caller leaves before the stream begins: ${framework}`, async (t) => {
      const { request, response, record, hasBegun } = await begun(t, framework, aSource('ends'), '/late')
      await hasBegun()
      request.destroy()
      await assert.rejects(response)
      assert.equal((await record()).result, 'success')
    })

  test('is completed if the caller leaves before the guard has decided: Fastify', async (t) => {
    const { request, response, record } = await begun(t, 'Fastify', aSource('ends'), '/left')
    await once(request, 'finish')
    request.destroy()
    await assert.rejects(response)
    assert.equal((await record()).result, 'success')
  })

  test('says error if the handler destroys the stream that it sends: Fastify', async (t) => {
    const source = aSource('ends')
    const { response, record } = await begun(t, 'Fastify', source, '/destroyed')
    const given = await response
    source.proceed()
    assert.equal(await isWhole(given), false)
    const { result, result_hash } = await record()
    assert.deepEqual([result, result_hash], ['error', undefined])
  })

  for (const [framework, path] of UNSENT)
    test(`says error if the handler fails before the response begins: ${framework} ${path}`, async (t) => {
      const { response, record } = await begun(t, framework, aSource('ends'), path)
      await response.then(isWhole, () => false)
      assert.equal((await record()).result, 'error')
    })

  test('says error if a stream breaks off that no socket carries: Fastify', async () => {
    const { compact_jwt, provenance_ref } = await open.token()
    const source = aSource('breaks')
    source.proceed()
    const app = fastify()
    const guarded = forFastify.deputyGuard(options)('read', 'calendar:events')
    app.get('/stream', guarded, async () => Readable.from(source.lines()))
    await assert.rejects(
      async () => await app.inject({ url: '/stream', headers: { authorization: `Bearer ${compact_jwt}` } }),
    )
    assert.equal((await completed(provenance_ref)).result, 'error')
  })

  test('has no hash of a text that is sent in another encoding than UTF-8', async (t) => {
    const { response, record } = await begun(t, 'Express', aSource('ends'), '/latin1')
    assert.deepEqual([...Buffer.concat(await (await response).toArray())], [0xe9, 0xe9])
    const { result, result_hash } = await record()
    assert.deepEqual([result, result_hash], ['success', undefined])
  })

  for (const framework of Object.keys(APIS))
    test(`is completed for HEAD: ${framework}`, async (t) => {
      const { response, record } = await begun(t, framework, aSource('ends'), '/whole', 'HEAD')
      assert.equal(await isWhole(await response), true)
      assert.equal((await record()).result, 'success')
    })
})
