/**
 * An API with the same handler four times: bare, behind a guard that calls a service in open mode, behind a guard that
 * calls a service in keyed mode, and behind a guard that decides offline. One framework per process. `SDK` is the
 * folder of the built package.
 */
import { once } from 'node:events'
import { Server } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import { sdkEntry } from './sdk-package.ts'

const { FRAMEWORK = '', SDK = '', OPEN_URL = '', KEYED_URL = '', KEYED_KEY = '', PORT = '' } = process.env
const url = `http://127.0.0.1:${PORT}`
const ACTION = 'read'
const RESOURCE = 'calendar:events'

const AT_OPEN = { url: OPEN_URL }
const AT_KEYED = {
  url: KEYED_URL,
  key: KEYED_KEY,
  audience: process.env.AUDIENCE,
  public_url: url,
}

function events(): object {
  return { data: [{ id: 'evt_1', title: 'stand-up' }], at: Date.now() }
}

const FRAMEWORKS: Readonly<Record<string, () => Promise<Server>>> = {
  async Express() {
    const { deputyGuard } = await sdkEntry<typeof import('@deputize/sdk/express')>(SDK, 'express')
    const open = deputyGuard(AT_OPEN)
    const keyed = deputyGuard(AT_KEYED)
    const handler: express.RequestHandler = (_request, response) => void response.json(events())
    const app = express()
    app.get('/bare', handler)
    app.get('/open', open(ACTION, RESOURCE), handler)
    app.get('/keyed', keyed(ACTION, RESOURCE), handler)
    app.get('/offline', open(ACTION, RESOURCE, { offline: true }), handler)
    return app.listen(Number(PORT), '127.0.0.1')
  },
  async Fastify() {
    const { deputyGuard } = await sdkEntry<typeof import('@deputize/sdk/fastify')>(SDK, 'fastify')
    const open = deputyGuard(AT_OPEN)
    const keyed = deputyGuard(AT_KEYED)
    const handler = async () => events()
    const app = fastify()
    app.get('/bare', handler)
    app.get('/open', open(ACTION, RESOURCE), handler)
    app.get('/keyed', keyed(ACTION, RESOURCE), handler)
    app.get('/offline', open(ACTION, RESOURCE, { offline: true }), handler)
    await app.listen({ host: '127.0.0.1', port: Number(PORT) })
    return app.server
  },
  async Hono() {
    const { deputyGuard } = await sdkEntry<typeof import('@deputize/sdk/hono')>(SDK, 'hono')
    const open = deputyGuard(AT_OPEN)
    const keyed = deputyGuard(AT_KEYED)
    const app = new Hono()
    app.get('/bare', (c) => c.json(events()))
    app.get('/open', open(ACTION, RESOURCE), (c) => c.json(events()))
    app.get('/keyed', keyed(ACTION, RESOURCE), (c) => c.json(events()))
    app.get('/offline', open(ACTION, RESOURCE, { offline: true }), (c) => c.json(events()))
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) })
    if (!(server instanceof Server)) throw new Error('Hono did not return a node:http server')
    return server
  },
}

const start = FRAMEWORKS[FRAMEWORK]
if (start === undefined) throw new Error(`no such framework: ${FRAMEWORK}`)
const server = await start()
if (!server.listening) await once(server, 'listening')
process.stdout.write(`address ${url}\n`)
process.on('SIGTERM', () => process.exit(0)) // so that a profile is written
