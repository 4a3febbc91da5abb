import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { after, describe, test } from 'node:test'
import * as forExpress from '@deputize/sdk/express'
import * as forFastify from '@deputize/sdk/fastify'
import * as forHono from '@deputize/sdk/hono'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { serve } from '@hono/node-server'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'

const open = await anOpenDeployment({ after })
const keyed = await aKeyedDeployment({ after })

async function listening(scope: TestScope, server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening')
  scope.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Start = (scope: TestScope, options: forExpress.GuardOptions) => Promise<string>

const FRAMEWORKS: Readonly<Record<string, Start>> = {
  async Express(scope, options) {
    const authority = forExpress.deputyGuard(options)
    const app = express()
    authority.serveMetadata(app)
    app.get('/events', authority('read', 'calendar:events'), (_req, res) => void res.json([]))
    return listening(scope, app.listen(0, '127.0.0.1'))
  },
  async Fastify(scope, options) {
    const authority = forFastify.deputyGuard(options)
    const app = fastify()
    authority.serveMetadata(app)
    app.get('/events', authority('read', 'calendar:events'), async () => [])
    scope.after(() => app.close())
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
  async Hono(scope, options) {
    const authority = forHono.deputyGuard(options)
    const app = new Hono()
    authority.serveMetadata(app)
    app.get('/events', authority('read', 'calendar:events'), (c) => c.json([]))
    return listening(scope, serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server)
  },
}

describe('the metadata of a guarded API (RFC 9728)', () => {
  for (const [name, start] of Object.entries(FRAMEWORKS))
    test(`is served on ${name} and named in every challenge`, async (t) => {
      const resource = 'https://api.example/calendar'
      const key = await keyed.resourceServerKey(resource)
      const url = await start(t, { url: keyed.url, key, audience: resource })
      const challenges = await Promise.all(
        [{}, { authorization: 'Bearer a.b.c' }, { authorization: 'Basic x' }].map(async (headers) => {
          const response = await fetch(`${url}/events`, { headers })
          return response.headers.get('www-authenticate') ?? ''
        }),
      )
      const named = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource/calendar"'
      for (const challenge of challenges) assert.ok(challenge.includes(named), challenge)
      const response = await fetch(`${url}/.well-known/oauth-protected-resource/calendar`)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(await response.json(), {
        resource,
        authorization_servers: [(await keyed.client.getDeployment()).issuer],
        scopes_supported: ['read@calendar:events'],
        bearer_methods_supported: ['header'],
        dpop_signing_alg_values_supported: ['EdDSA', 'ES256'],
        dpop_bound_access_tokens_required: true,
      })
    })

  test('says that open mode needs no bound tokens, and is named only if it is served', async (t) => {
    const public_url = 'https://api.example'
    const url = await FRAMEWORKS.Hono?.(t, { url: open.url, public_url })
    const response = await fetch(`${url}/.well-known/oauth-protected-resource`)
    const document = (await response.json()) as Record<string, unknown>
    assert.equal(document.dpop_bound_access_tokens_required, false)
    const app = new Hono()
    const authority = forHono.deputyGuard({ url: open.url, public_url })
    app.get('/events', authority('read', 'calendar:events'), (c) => c.json([]))
    const silent = await app.request('/events')
    assert.equal(silent.status, 401)
    assert.doesNotMatch(silent.headers.get('www-authenticate') ?? '', /resource_metadata/)
    assert.throws(() => forHono.deputyGuard({ url: open.url }).serveMetadata(app), /public_url/)
  })
})
