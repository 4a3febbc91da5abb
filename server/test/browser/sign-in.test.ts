import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { CALLBACK_PATH } from '../../src/http/people/sign-in-pages.ts'
import { identityReturnPath } from '../../src/verification/external/oidc4ida.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { aKeyedApp } from '../http/a-keyed-app.ts'
import { aSecretFile, l2Request } from '../verification/sign-in.ts'
import { anIdentityProvider } from './an-identity-provider.ts'

const scope = { after }

/** Signs in and consents on the provider's own pages. */
async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe('sign-in in a real browser with a real identity provider', async () => {
  const provider = await anIdentityProvider(scope)
  const company = {
    name: 'company',
    issuer: provider.issuer,
    client_id: provider.client_id,
    client_secret_file: aSecretFile(scope, provider.client_secret),
    scopes: ['openid', 'email', 'groups'],
    groups: { staff: { resources: ['calendar:*'], actions: ['read', 'write'] } },
  }
  const registry = {
    name: 'registry',
    kind: 'oidc4ida',
    level: 'L3',
    issuer: provider.issuer,
    client_id: provider.client_id,
    client_secret_file: 'registry-secret',
    trust_frameworks: ['de_aml'],
  }
  const service = await aTestApp(scope, {
    providers: [company],
    idv: { providers: [registry], secrets: { 'registry-secret': provider.client_secret } },
    l3_passkey: 'optional',
    clock: manualClock(Date.now()),
  })
  const url = await service.listen()
  provider.open(`${url}${CALLBACK_PATH}`, `${url}${identityReturnPath('registry')}`)
  const client = httpClient(scope, url)
  const browser = await openBrowser(scope)

  async function inNewBrowser(act: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await act(page, context)
    await context.close()
    assert.deepEqual(faults, [])
  }

  async function start(body: object = {}) {
    const { status, body: started } = await client.post('/v1/vat/auth/oidc/start', body)
    assert.equal(status, 201, JSON.stringify(started))
    return started as { login_id: string; authorization_url: string } // as the response schema says
  }

  const statusOf = async (login_id: string) =>
    (await client.get(`/v1/vat/auth/oidc/logins/${login_id}`)).body.status

  test('a person who confirms the request of a program authorizes a token at L2', async () => {
    const asked = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read'] }
    const { login_id, authorization_url } = await start({ ...asked, return_to: '/problems' })
    await inNewBrowser(async (page) => {
      await page.goto(authorization_url)
      await signInAs(page, 'ada')
      await page.getByRole('heading', { name: 'Did you request this?' }).waitFor()
      const shown = (await page.locator('dl').textContent()) ?? ''
      for (const word of ['ada@example.com', 'local', 'default', 'calendar-bot', 'calendar:events', 'read'])
        assert.ok(shown.includes(word), word)
      if (process.env.SCREENSHOTS !== undefined)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/confirm.png` })
      assert.equal(await statusOf(login_id), 'pending')
      assert.equal(
        (await client.post('/v1/vat/issue/l2', l2Request({ login_id }))).body.code,
        'login_not_usable',
      )
      await page.getByRole('button', { name: 'Yes, I requested this' }).click()
      await page.waitForURL(`${url}/problems`)
    })
    assert.equal(await statusOf(login_id), 'finished')
    const { status, body } = await client.post('/v1/vat/issue/l2', l2Request({ login_id }))
    assert.equal(status, 200, JSON.stringify(body))
    const { claims } = body
    assert.deepEqual(
      [claims.svc_assurance_level, claims.svc_trust_score, claims.svc_provider, claims.svc_email_verified],
      ['L2', 0.7, 'company', true],
    )
    assert.ok(Math.abs(claims.auth_time * 1000 - Date.now()) < 120_000)
    assert.equal(await statusOf(login_id), 'used')
  })

  for (const [name, decision] of [
    ['ada', 'pass'],
    ['eve', 'fail'],
  ] as const)
    test(`a person of whom the provider ${decision === 'pass' ? 'has' : 'lacks'} verified claims gets the decision ${decision}`, async () => {
      const request = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read'] }
      const post = (path: string, body: object) => client.post(path, body)
      const session = await aHostedSession(post, {
        purpose: 'verify',
        developer_email: `${name}@example.com`,
        provider: 'registry',
        request,
      })
      const { open, collect } = hostedCalls(post, session)
      const { redirect_url, session_id, nonce } = (await open()).body
      await inNewBrowser(async (page) => {
        await page.goto(redirect_url)
        await signInAs(page, name)
        await page.waitForURL(`${url}/verify-me/${session_id}/returned`)
        await page.getByRole('heading', { name: 'Go back to where you started' }).waitFor()
      })
      const judged = await client.post('/v1/vat/auth/capture', { session_id, nonce })
      assert.equal(judged.body.decision, decision, JSON.stringify(judged.body))
      const { token } = (await collect()).body
      assert.equal(token?.claims.svc_verification.provider, decision === 'pass' ? 'registry' : undefined)
      assert.doesNotMatch(JSON.stringify(token ?? {}), /Lovelace|1815/)
    })

  test('a person who declines authorizes no token', async () => {
    const { login_id, authorization_url } = await start()
    await inNewBrowser(async (page) => {
      await page.goto(authorization_url)
      await signInAs(page, 'ada')
      await page.getByRole('button', { name: 'No', exact: true }).click()
      await page.getByText('not_confirmed').waitFor()
    })
    assert.equal(await statusOf(login_id), 'failed')
    const { status, body } = await client.post('/v1/vat/issue/l2', l2Request({ login_id }))
    assert.deepEqual([status, body.reason], [403, 'not_confirmed'])
  })

  test('a scope beyond the groups of the person is refused, and the excess is named', async () => {
    const { login_id, authorization_url } = await start()
    await inNewBrowser(async (page) => {
      await page.goto(authorization_url)
      await signInAs(page, 'grace')
      await page.getByRole('button', { name: 'Yes, I requested this' }).click()
      await page.getByText('You can close this page.').waitFor()
    })
    const { status, body } = await client.post('/v1/vat/issue/l2', l2Request({ login_id }))
    assert.deepEqual([status, body.code, body.widening], [403, 'scope_widening', ['calendar:events', 'read']])
  })

  test('a sign-in from the page of the service creates a session and leads to the requested page', async () => {
    await inNewBrowser(async (page, context) => {
      await page.goto(`${url}/sign-in?return_to=/verify`)
      await page.getByRole('link', { name: 'company' }).click()
      await signInAs(page, 'ada')
      await page.waitForURL(`${url}/verify`)
      const cookies = await context.cookies(url)
      const cookie = cookies.find(({ name }) => name === 'deputy_session')
      assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
      const session = await service.accessControl.sessions.read(cookie?.value ?? '')
      assert.deepEqual(
        [
          session?.tenant_id,
          session?.assurance_level,
          session?.sign_on?.provider,
          session?.human_refs.length,
        ],
        ['default', 'L2', 'company', 2],
      )
      assert.equal(
        cookies.some(({ name }) => name === 'deputy_login'),
        false,
      )
    })
  })

  test('the dashboard leads to the providers of the tenant in its address, and back to the same view', async (t) => {
    const tenants = ['default', 'acme'].map((tenant_id) => ({
      ...company,
      name: `${tenant_id}-sso`,
      client_id: `${tenant_id}-dashboard`,
      tenant_id,
    }))
    const { test: keyed } = await aKeyedApp(t, { providers: tenants })
    const keyed_url = await keyed.listen()
    await inNewBrowser(async (page) => {
      await page.goto(`${keyed_url}/app/agents?q=night`)
      const own = page.getByRole('link', { name: 'Sign in with default-sso' })
      assert.match(String(await own.getAttribute('href')), /return_to=%2Fapp%2Fagents%3Fq%3Dnight$/)
      await page.goto(`${keyed_url}/app/agents?q=night&tenant=acme`)
      await page.getByRole('link', { name: 'Sign in with a provider of acme' }).click()
      const acmes = page.getByRole('link', { name: 'Sign in with acme-sso' })
      assert.match(
        String(await acmes.getAttribute('href')),
        /^\/sign-in\/acme-sso\?return_to=%2Fapp%2Fagents%3Fq%3Dnight%26tenant%3Dacme$/,
      )
      assert.equal(await page.getByRole('link', { name: 'Sign in with default-sso' }).count(), 0)
    })
  })

  test('a sign-in that began in one browser does not open a session in another', async () => {
    await inNewBrowser(async (mine) => {
      const begun = mine.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth`))
      await mine.goto(`${url}/sign-in/company`)
      const authorization_url = (await begun).url()
      await inNewBrowser(async (theirs, context) => {
        await theirs.goto(authorization_url)
        await signInAs(theirs, 'ada')
        await theirs.getByText('other_browser').waitFor()
        assert.deepEqual(
          (await context.cookies(url)).filter(({ name }) => name === 'deputy_session'),
          [],
        )
      })
    })
  })
})
