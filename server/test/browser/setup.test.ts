import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { buildSetupScript, SETUP_SCRIPT_FILE } from '../../../web/build.ts'
import { assertAccessible } from './accessible.ts'

const scope = { after }

describe('the page that sets up a deployment', async () => {
  const service = await aTestApp(scope, { access: 'keyed' })
  const url = await service.listen()
  const secret = service.accessControl.setup?.secret
  const browser = await openBrowser(scope)

  async function open(path: string) {
    const context = await browser.newContext({ locale: 'en-US' })
    scope.after(() => context.close())
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${url}${path}`)
    return { page, asked, context }
  }

  test('is built from its sources', async () => {
    assert.equal(readFileSync(SETUP_SCRIPT_FILE, 'utf8'), await buildSetupScript(), 'run: node web/build.ts')
  })

  test('explains where the link is if it has no secret, and refuses a wrong secret', async () => {
    const { page } = await open('/setup')
    await page.getByText('Open the link that the service printed').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Create the key' }).isVisible(), false)
    const wrong = await open(`/setup#dsu_${'x'.repeat(32)}`)
    await wrong.page.getByRole('button', { name: 'Create the key' }).click()
    await wrong.page.getByText('The setup secret is wrong').waitFor()
  })

  test('creates the first operator key, shows it once and signs the browser in', async () => {
    const { page, asked, context } = await open(`/setup#${secret}`)
    await assertAccessible(page)
    assert.equal(page.url(), `${url}/setup`, 'the secret leaves the address')
    await page.getByLabel('Name of the key').fill('Ada <b>operator</b>')
    const signedIn = page.waitForResponse((response) => response.url().endsWith('/sign-in/key'))
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = page.locator('#setup-key')
    await key.filter({ hasText: /^dk_/ }).waitFor()
    const text = await key.innerText()
    await signedIn
    assert.ok(!asked.some((address) => address.includes(String(secret)) || address.includes(text)))
    const cookies = async () => (await context.cookies()).map(({ name, httpOnly }) => [name, httpOnly])
    const { role, name } = await page.evaluate(
      async (): Promise<Record<string, unknown>> => Object(await (await fetch('/v1/vat/auth/me')).json()),
    )
    assert.deepEqual([role, name], ['operator', 'Ada <b>operator</b>'])
    assert.deepEqual(await cookies(), [['deputy_session', true]])
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0)
    await page.reload()
    await page.getByRole('heading', { name: 'Deputy is set up' }).waitFor()
    assert.ok(!(await page.content()).includes(text))
  })
})
