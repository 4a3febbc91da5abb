import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { Readable } from 'node:stream'
import { deputy } from '@deputize/sdk'
import * as forExpress from '@deputize/sdk/express'
import * as forFastify from '@deputize/sdk/fastify'
import * as forHono from '@deputize/sdk/hono'
import type { TestScope } from '@deputize/testing/scope.ts'
import { serve } from '@hono/node-server'
import { trace } from '@opentelemetry/api'
import express, { type Request } from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'

type GuardOptions = forExpress.GuardOptions

/** A third-party API with guarded routes. */
export interface Api {
  readonly url: string
  /** How many times handlers have run. */
  readonly calls: () => number
  /** Lets the slow handler continue. */
  release(): void
}

/** The handlers of all three frameworks. */
interface Handlers {
  events(authority: forExpress.RequestAuthority | undefined): object
  slow(): Promise<object>
  fails(): never
  lines(): string[]
  /** Acts with the caller's token. */
  nested(authority: forExpress.RequestAuthority | undefined): Promise<object>
}

type Start = (scope: TestScope, options: GuardOptions, handlers: Handlers) => Promise<string>

const onExpress: Start = async (scope, options, handlers) => {
  const authority = forExpress.deputyGuard(options)
  const app = express().set('env', 'test') // does not print errors to the console
  app.post(
    '/events',
    authority('write', 'calendar:events', { spend_usd: 0.7 + 0.1 }),
    (request, response) => {
      response.json(handlers.events(request.authority))
    },
  )
  app.get(
    '/calendars/:name',
    authority('read', (request: Request<{ name: string }>) => `calendar:${request.params.name}`, {
      offline: true,
    }),
    (request, response) => void response.json(handlers.events(request.authority)),
  )
  app.post('/slow', authority('write', 'calendar:events'), async (_request, response) => {
    response.json(await handlers.slow())
  })
  app.post('/fails', authority('write', 'calendar:events'), () => handlers.fails())
  app.get('/nested', authority('read', 'calendar:events'), async (request, response) => {
    response.json(await handlers.nested(request.authority))
  })
  app.get('/missing', authority('read', 'calendar:events'), (_request, response) => {
    response.status(404).end()
  })
  app.get('/lines', authority('read', 'calendar:events'), (_request, response) => {
    Readable.from(handlers.lines()).pipe(response)
  })
  return listening(scope, app.listen(0, '127.0.0.1'))
}

const onFastify: Start = async (scope, options, handlers) => {
  const authority = forFastify.deputyGuard(options)
  const app = fastify()
  app.post('/events', authority('write', 'calendar:events', { spend_usd: 0.7 + 0.1 }), async (request) =>
    handlers.events(request.authority),
  )
  app.get(
    '/calendars/:name',
    authority('read', ({ params }) => `calendar:${(params as { name: string }).name}`, { offline: true }),
    async (request) => handlers.events(request.authority),
  )
  app.post('/slow', authority('write', 'calendar:events'), () => handlers.slow())
  app.post('/fails', authority('write', 'calendar:events'), async () => handlers.fails())
  app.get('/nested', authority('read', 'calendar:events'), (request) => handlers.nested(request.authority))
  app.get('/missing', authority('read', 'calendar:events'), async (_request, reply) => reply.code(404).send())
  app.get('/lines', authority('read', 'calendar:events'), async () => Readable.from(handlers.lines()))
  scope.after(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

const onHono: Start = async (scope, options, handlers) => {
  const authority = forHono.deputyGuard(options)
  const app = new Hono<{ Variables: forHono.AuthorityVariables }>()
  app.onError((_error, c) => c.text('it failed', 500))
  app.post('/events', authority('write', 'calendar:events', { spend_usd: 0.7 + 0.1 }), (c) =>
    c.json(handlers.events(c.get('authority'))),
  )
  app.get(
    '/calendars/:name',
    authority('read', (c) => `calendar:${c.req.param('name')}`, { offline: true }),
    (c) => c.json(handlers.events(c.get('authority'))),
  )
  app.post('/slow', authority('write', 'calendar:events'), async (c) => c.json(await handlers.slow()))
  app.post('/fails', authority('write', 'calendar:events'), () => handlers.fails())
  app.get('/nested', authority('read', 'calendar:events'), async (c) =>
    c.json(await handlers.nested(c.get('authority'))),
  )
  app.get('/missing', authority('read', 'calendar:events'), (c) => c.body(null, 404))
  app.get('/lines', authority('read', 'calendar:events'), () => {
    const body = new Blob(handlers.lines()).stream()
    return new Response(body)
  })
  return listening(scope, serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server)
}

async function listening(scope: TestScope, server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening')
  scope.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const FRAMEWORKS = { Express: onExpress, Fastify: onFastify, Hono: onHono } as const
export type Framework = keyof typeof FRAMEWORKS

export async function anApi(scope: TestScope, framework: Framework, options: GuardOptions): Promise<Api> {
  let calls = 0
  let release = () => {}
  const url = await FRAMEWORKS[framework](scope, options, {
    events(authority) {
      calls += 1
      authority?.outcome({ spend_usd: 0.1 + 0.2 })
      const active_span = trace.getActiveSpan()?.spanContext().spanId
      return { agent_id: authority?.agent_id, aar_id: authority?.aar_id, active_span }
    },
    async slow() {
      calls += 1
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return { slow: true }
    },
    fails() {
      calls += 1
      throw new Error('the calendar is on fire')
    },
    lines: () => ['one\n', 'two\n', 'three\n'],
    async nested(authority) {
      const agent = deputy({ url: options.url }).withAuthority(authority?.jti ?? '')
      const inner = await agent.run('write', 'calendar:events', ({ aar_id }) => aar_id)
      return { outer: authority?.aar_id, inner }
    },
  })
  return { url, calls: () => calls, release: () => release() }
}
