import type { Answer, TestApp } from '@deputize/testing/a-test-app.ts'
import { type Authenticator, anAuthenticator } from '@deputize/testing/an-authenticator.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Agent, aKeyedApp, anAgent, aSession, dpop } from '../http/a-keyed-app.ts'

/** A service in keyed mode, at a host name to which passkeys can be bound, with an agent that acts for a person. */
export interface House {
  readonly test: TestApp
  readonly url: string
  readonly agent: Agent
  /** A record of the agent that the person has not rated yet. */
  readonly aar_id: string
  /** An approval request for the person. */
  readonly approval_id: string
  /** Makes a call as the agent. Throws unless the answer is a 200. */
  act(path: string, body: Record<string, unknown>): Promise<Answer['body']>
}

export async function aHouse(
  scope: TestScope,
  step_up: readonly string[] = [],
  options: Parameters<typeof aKeyedApp>[1] = {},
): Promise<House> {
  const app = await aKeyedApp(scope, options)
  const settings = await app.operator.call('PATCH', '/v1/vat/tenants/default', { step_up })
  if (settings.status !== 200) throw new Error(JSON.stringify(settings.body))
  const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')), {
    purpose: 'Keeps the calendar tidy',
    constraints: { max_spend_usd: 20, require_approval: { actions: ['write'] } },
  })
  const act = { vat_jti: agent.jti, resource: 'calendar:events' }
  const done = await agent.client.post('/v1/vat/record/action', { ...act, action: 'read', result: 'success' })
  const asked = await agent.client.post('/v1/vat/authorize', { ...act, action: 'write', spend_usd: 5 })
  const url = await app.test.listen()
  const { aar_id } = done.body
  const { approval_id } = asked.body
  return {
    ...{ test: app.test, url, agent, aar_id, approval_id },
    async act(path, body) {
      const htu = `${url}${path}`
      const proof = dpop(agent.key, 'POST', path, agent.compact_jwt, app.test.clock(), { htu })
      const answer = await app.test.post(path, { ...act, ...body }, { ...proof, host: new URL(url).host })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
  }
}

/** A browser of a signed-in person, with a virtual authenticator. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  readonly device: Authenticator
  /** Errors of the page itself. */
  readonly troubles: string[]
  /** Calls the service as the page would. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Gives the browser the session of a person, as a sign-in does. */
export async function signIn(
  context: BrowserContext,
  { url, test }: Pick<House, 'url' | 'test'>,
  human_ref: string,
): Promise<void> {
  const { secret } = await aSession(test, 'default', human_ref)
  await context.addCookies([
    { name: 'deputy_session', value: secret, url, httpOnly: true, sameSite: 'Strict' },
  ])
}

export async function aVisitor(
  browser: Browser,
  { url, test, agent }: House,
  human_ref: string | undefined = agent.human_ref,
): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } })
  await signIn(context, { url, test }, human_ref)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    // A refused call is an answer, not an error of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) troubles.push(message.text())
  })
  await page.goto(`${url}/me`)
  return {
    context,
    page,
    device: await anAuthenticator(page),
    troubles,
    api: (method, path, body, headers) => call(page, method, path, body, headers),
  }
}

async function call(
  page: Page,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const place = page.locator('#people')
  const csrf = (await place.count()) === 0 ? null : await place.getAttribute('data-csrf')
  return page.evaluate(
    async ([method, path, body, headers, csrf]) => {
      const response = await fetch(path, {
        method,
        headers: {
          ...(body !== null && { 'content-type': 'application/json' }),
          ...(csrf !== null && { 'deputy-csrf': csrf }),
          ...headers,
        },
        ...(body !== null && { body }),
      })
      const isJson = response.headers.get('content-type')?.includes('json') === true
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: isJson ? await response.json() : await response.text(),
      }
    },
    [method, path, body === undefined ? null : JSON.stringify(body), headers, csrf] as const,
  )
}

/** The answer of an authenticator to a request, as the page gets it. */
export async function answerTo(page: Page, options: unknown): Promise<Credential> {
  return page.evaluate(async (json) => {
    // The tests compile without browser types.
    const browser = globalThis as unknown as {
      PublicKeyCredential: { parseRequestOptionsFromJSON(json: unknown): object }
      navigator: { credentials: { get(options: object): Promise<{ toJSON(): Credential }> } }
    }
    const publicKey = browser.PublicKeyCredential.parseRequestOptionsFromJSON(json)
    return (await browser.navigator.credentials.get({ publicKey })).toJSON()
  }, options)
}

/** An assertion as JSON; tests change it freely. */
export interface Credential {
  id: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string }
}

/** Adds a passkey on the person's page. */
export async function addPasskey({ page }: Visitor, name: string): Promise<void> {
  await openPart(page, 'passkeys')
  await page.getByLabel('Name of the new passkey').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

/** Opens a part of the person's page, if it is closed. */
export async function openPart(page: Page, id: string): Promise<void> {
  const part = page.locator(`details#${id}`)
  if ((await part.getAttribute('open')) === null) await part.locator('> summary').click()
}
