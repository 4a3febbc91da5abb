import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aDescribedServer } from '@deputize/testing/idv/a-described-server.ts'
import { aPersonaServer } from '@deputize/testing/idv/a-persona-server.ts'
import { aStripeServer } from '@deputize/testing/idv/a-stripe-server.ts'
import { aVeriffServer } from '@deputize/testing/idv/a-veriff-server.ts'
import { anOnfidoServer } from '@deputize/testing/idv/an-onfido-server.ts'
import type { IdentityServer, SignedCallback } from '@deputize/testing/idv/identity-server.ts'
import { ExternalDesk } from '../../src/operations/external/external-desk.ts'
import type { Post } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'

const scope = { after }
const servers: readonly IdentityServer[] = await Promise.all(
  [aStripeServer, aPersonaServer, anOnfidoServer, aVeriffServer, aDescribedServer].map((start) =>
    start(scope),
  ),
)
/** One service with every provider. It listens, as it would for their callbacks. */
const app = await aTestApp(scope, {
  l3_passkey: 'optional',
  idv: {
    providers: servers.map(({ kind, entry }) => ({ name: `my-${kind}`, kind, level: 'L3', ...entry })),
    secrets: Object.fromEntries(servers.flatMap(({ secrets }) => [...secrets])),
  },
})
const client = httpClient(scope, await app.listen())
const post: Post = (path, body) => client.post(path, body)

/** Prepares and opens a session. The URL that the person is sent to ends with the provider's ID of the session. */
async function anOpenedSession({ kind }: IdentityServer) {
  const prepared = await aHostedSession(post, {
    purpose: 'verify',
    developer_email: `${kind}@example.com`,
    provider: `my-${kind}`,
    request: { agent_id: 'invoice-bot', resources: ['payments:invoices'], actions: ['pay'] },
  })
  const calls = hostedCalls(post, prepared)
  const { status, body } = await calls.open()
  assert.equal(status, 200, JSON.stringify(body))
  const { session_id, nonce, redirect_url, human_ref } = body
  const external_id = redirect_url.split(/[/=]/).at(-1)
  return {
    ...calls,
    session_id,
    human_ref,
    external_id,
    page: redirect_url,
    finish: () => post('/v1/vat/auth/capture', { session_id, nonce }),
    providerStatus: async () => (await calls.watch()).body.provider_status,
  }
}

function delivered({ kind }: IdentityServer, { body, headers }: SignedCallback) {
  return client.post(`/v1/vat/auth/providers/my-${kind}/callback`, body.toString(), { ...headers })
}

async function isValid({ compact_jwt }: { compact_jwt: string }): Promise<boolean> {
  return (await client.post('/v1/vat/verify', { compact_jwt })).body.valid
}

for (const server of servers)
  describe(`a person whom ${server.kind} verifies`, () => {
    const now = () => ({ time_ms: app.clock() })

    test('gets a token that names the provider, and loses it if the provider withdraws the pass', async () => {
      const session = await anOpenedSession(server)
      assert.ok(session.page.startsWith(server.url))
      assert.equal(server.sessionOf(session.external_id), session.session_id)
      const early = await session.finish()
      assert.deepEqual([early.status, early.body.code], [409, 'verification_pending'])

      // A forged callback is refused, and a genuine one only triggers a look: the decision is fetched.
      const forged = server.callback(session.external_id, { secrets: ['not the secret'], ...now() })
      const refused = await delivered(server, forged)
      assert.deepEqual([refused.status, refused.body.code], [401, 'callback_refused'])
      server.decide(session.external_id, 'pass')
      const approval = server.callback(session.external_id, now())
      assert.equal((await delivered(server, approval)).status, 200)
      await eventually('the pass is known', async () => (await session.providerStatus()) === 'pass')

      assert.equal((await session.finish()).body.passed, true)
      const { token } = (await session.collect()).body
      assert.equal(token.claims.svc_assurance_level, 'L3')
      assert.equal(token.claims.svc_verification.provider, `my-${server.kind}`)
      assert.ok(await isValid(token))

      // A repeated callback is a duplicate, and a later pass can't restore the token.
      server.decide(session.external_id, 'fail')
      assert.equal((await delivered(server, approval)).status, 200)
      const change = server.callback(session.external_id, { time_ms: app.clock() + 1000 })
      assert.equal((await delivered(server, change)).status, 200)
      await eventually('the token is revoked', async () => !(await isValid(token)))
      server.decide(session.external_id, 'pass')
      assert.equal(
        (await delivered(server, server.callback(session.external_id, { time_ms: app.clock() + 2000 })))
          .status,
        200,
      )
      assert.equal(await isValid(token), false)
    })

    test('is deleted at the provider when they are erased', async () => {
      const session = await anOpenedSession(server)
      server.decide(session.external_id, 'pass')
      assert.equal((await session.finish()).body.passed, true)
      assert.equal((await client.delete(`/v1/vat/humans/${session.human_ref}`)).status, 200)
      await new ExternalDesk(app.context).runOnce()
      await eventually('nothing is left there', async () => server.isRedacted(session.external_id))
    })
  })
