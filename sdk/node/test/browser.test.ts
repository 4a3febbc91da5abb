import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { anInstalledPackage } from '@deputize/testing/a-package.ts'
import { openBrowser } from '@deputize/testing/browser.ts'

const scope = { after }
const { folder } = anInstalledPackage(scope)
const open = await anOpenDeployment(scope)
const browser = await openBrowser(scope)

test('the package calls, verifies and signs in a browser', async () => {
  const page = await browser.newPage()
  // The page and the package are served from the origin of the service: in open mode it rejects calls from other pages.
  await page.route(`${open.url}/try/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/try/'.length)
    if (path === '')
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>try</title>' })
    const body = readFileSync(join(folder, 'node_modules/@deputize/sdk/dist', path), 'utf8')
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  await page.goto(`${open.url}/try/`)
  const { compact_jwt } = await open.token()
  const seen = await page.evaluate(
    async ([url, jwt]) => {
      const address = '/try/index.js'
      const sdk: typeof import('@deputize/sdk') = await import(address)
      const client = sdk.deputy({ url })
      const agent_key = await sdk.newAgentKey()
      const token = await client.issueL1({
        developer_email: 'dev@example.com',
        agent_id: 'browser-bot',
        resources: ['calendar:events'],
        actions: ['read'],
        agent_jwk: agent_key.jwk,
      })
      const me = client.withAuthority(token, { agent_key })
      const id = await me.run('read', 'calendar:events', ({ aar_id }) => aar_id)
      const { log } = await client.getDeployment()
      const receipt = await sdk.verifyReceipt(await client.getReceipt({ id }), { log: log.vkey })
      const forged = `${jwt.slice(0, -8)}AAAAAAAA`
      return {
        agent_id: (await sdk.verifyToken(jwt, { url })).agent_id,
        as_of: (await sdk.verifyToken(token.compact_jwt, { url })).standing?.as_of,
        bound: token.claims.cnf?.jkt === agent_key.jkt,
        forged: await sdk.verifyToken(forged, { url }).catch((error) => error.code),
        state: (await client.getRecord({ id })).state,
        entries: receipt.entries.map(({ kind }) => kind),
      }
    },
    [open.url, compact_jwt] as const,
  )
  assert.ok(Date.now() - Date.parse(seen.as_of ?? '') < 15_000)
  assert.deepEqual(
    { ...seen, as_of: undefined },
    {
      agent_id: 'agent:calendar-bot',
      as_of: undefined,
      bound: true,
      forged: 'bad_signature',
      state: 'completed',
      entries: ['created', 'completed'],
    },
  )
})

test('scores of the trust graph are the same integers in a browser', async () => {
  const page = await browser.newPage()
  await page.route(`${open.url}/scores/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/scores/'.length)
    if (path === '')
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>scores</title>' })
    const body = readFileSync(join(folder, 'node_modules/@deputize/sdk/dist', path), 'utf8')
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  await page.goto(`${open.url}/scores/`)
  const vectors = readFileSync(new URL('../../../vectors/trust/random-logs.json', import.meta.url), 'utf8')
  const logs: TrustVector[] = JSON.parse(vectors)
  const computed = await page.evaluate(async (given) => {
    const address = '/scores/index.js'
    const sdk: typeof import('@deputize/sdk') = await import(address)
    return given.map(({ leaves, scores }) => {
      const ledger = sdk.scoresFromLog(leaves)
      return scores.map(({ subject, options }) => ledger.score(subject, options))
    })
  }, logs)
  assert.deepEqual(
    computed,
    logs.map(({ scores }) => scores.map(({ answer }) => answer)),
  )
})

interface TrustVector {
  readonly leaves: Record<string, unknown>[]
  readonly scores: {
    readonly subject: string
    readonly options: Record<string, never>
    readonly answer: unknown
  }[]
}
