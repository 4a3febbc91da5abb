import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { deputy } from '@deputize/sdk'
import { anAuthenticator, passkeysIn } from '@deputize/testing/an-authenticator.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { runScript } from '@deputize/testing/page-script.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Page } from 'playwright-core'
import { violationsOn } from './accessible.ts'
import { aDashboardPage, fitsWindow } from './dashboard-page.ts'

const scope = { after }
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** The project of a reader, with the packages installed, in which pasted code runs. */
function aProject(): string {
  const directory = temporaryDirectory(scope)
  symlinkSync(MODULES, join(directory, 'node_modules'))
  return directory
}

describe('the first five minutes', async () => {
  const browser = await openBrowser(scope)
  const project = aProject()

  const pasted = async (text: string) => {
    const { code, output } = await runScript(text, project)
    assert.equal(code, 0, output)
    return output
  }
  const pastedProgram = (text: string, before = '') => {
    writeFileSync(join(project, 'first.mjs'), text)
    return pasted(`${before}\nnode first.mjs`)
  }
  const shownCode = (page: Page, name: string) =>
    page.getByRole('figure', { name }).locator('pre').innerText()

  test('open mode leads from an empty store through the demo and the form to the first action', async () => {
    const { url } = await aProgram(scope, temporaryDirectory(scope))
    const client = deputy({ url })
    const { page, complaints, close } = await aDashboardPage(browser, 'light', 1440)
    await page.goto(`${url}/app`)
    await page.getByRole('heading', { name: 'Welcome to Deputy' }).waitFor()
    assert.deepEqual(await violationsOn(page, 'first run'), [])

    await page.getByRole('link', { name: 'Play the demo' }).click()
    const demo = page.getByRole('region', { name: 'Demo' })
    await demo.getByRole('button', { name: 'Approve $149.90' }).click()
    await demo.getByRole('button', { name: 'Play again' }).waitFor()
    await demo.getByText('budget exceeded').first().waitFor()
    for (const picture of ['Execution graph', 'Timeline', 'Token tree'])
      await demo.getByRole('button', { name: picture }).click()
    assert.deepEqual(await violationsOn(page, 'demo'), [])
    assert.equal((await client.listTokens()).data.length, 0, 'the demo must not touch the store')
    assert.equal((await client.listEvents({})).data.length, 0, 'the demo must not touch the log')

    await page.getByLabel('Resources').fill('calendar')
    await page.getByRole('button', { name: 'Issue token' }).click()
    await page.getByRole('textbox', { name: 'Resources' }).and(page.locator('[aria-invalid=true]')).waitFor()
    assert.deepEqual(await violationsOn(page, 'field with a problem'), [])
    await page.getByLabel('Resources').fill('calendar:events')
    await page.getByLabel('Your email').fill("o'neil@example.com")
    await page.getByLabel('Budget').fill('5')
    const shownIn = async (language: string, name: string) => {
      await page.getByRole('button', { name: language }).click()
      return shownCode(page, name)
    }
    const issuing = [
      await shownIn('curl', 'Issue the token'),
      await shownIn('JavaScript', 'Issue the token'),
    ] as const
    await page.getByRole('button', { name: 'Issue token' }).click()
    await page.getByText('Waiting for the first action').waitFor()
    assert.match(await pasted(await shownIn('curl', 'Record the first action')), /"aar_id":"aar_/)
    await page.getByText('The first action is recorded.').waitFor()
    assert.match(await pastedProgram(await shownIn('JavaScript', 'Record the first action')), /^aar_/)
    assert.match(await pasted(issuing[0]), /"jti":"vat_root_/)
    assert.match(await pastedProgram(issuing[1]), /^vat_root_/)
    const { data: tokens } = await client.listTokens()
    assert.deepEqual(
      tokens.map(({ agent_id, budget }) => [agent_id, budget?.allocated_usd]),
      Array(3).fill(['agent:calendar-bot', 5]),
    )
    await page.getByRole('button', { name: 'Open the overview' }).click()
    await page.getByRole('link', { name: /^Actions, .* 2/ }).waitFor()
    assert.equal(await demo.count(), 0, 'the demo is gone with the first record')
    await close()

    const second = await aDashboardPage(browser, 'dark', 390)
    await second.page.goto(`${url}/app`)
    await second.page.getByText('of 5 done').waitFor()
    await second.page.getByText('Set up Deputy').click()
    await second.page.getByText('Done: ').first().waitFor({ state: 'attached' })
    assert.ok(await fitsWindow(second.page))
    assert.deepEqual(await violationsOn(second.page, 'overview with the list'), [])
    await second.page.getByRole('button', { name: 'Hide this list' }).click()
    await second.page.reload()
    await second.page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await second.page.getByText('Set up Deputy').count(), 0)
    await second.close()
    assert.deepEqual(
      [...complaints, ...second.complaints].filter((one) => !/status of 400/.test(one)),
      [],
    )
  })
  test('keyed mode shows programs that run with a new key, and then accepts a passkey of the operator', async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const { output } = await aProgram(scope, temporaryDirectory(scope), {
      DEPUTY_ACCESS: 'keyed',
      DEPUTY_PUBLIC_URL: url,
      PORT: String(port),
    })
    const [setup_secret = ''] = /dsu_[\w-]+/.exec(output()) ?? []
    const { key } = await deputy({ url }).setUp({ setup_secret })
    const { page, complaints, close } = await aDashboardPage(browser, 'dark', 1440)
    // Passkeys are bound to a host name.
    await page.goto(`http://127.0.0.1:${port}/app`)
    assert.equal(new URL(page.url()).hostname, 'localhost')
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Create a developer key' }).click()
    await page.getByText('The key is shown once.').waitFor()
    await page.getByLabel('Budget').fill('5')
    const setKey = await shownCode(page, 'Set the key')
    await pasted(`${setKey}\n${await shownCode(page, 'Issue and record')}`)
    await page.getByText('The first action is recorded.').waitFor()
    await page.getByRole('button', { name: 'JavaScript' }).click()
    assert.match(await pastedProgram(await shownCode(page, 'Issue and record'), setKey), /^aar_/)
    assert.deepEqual(await violationsOn(page, 'first run with keys'), [])
    await page.getByText(/of 10 done/).waitFor()
    await page.getByRole('button', { name: 'Open the overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    const authenticator = await anAuthenticator(page)
    await page.locator('header.top summary').click()
    await page.getByRole('link', { name: 'Passkeys' }).click()
    await page.getByRole('button', { name: 'Add passkey…' }).click()
    await page.getByLabel('Name (optional)').fill('Laptop')
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    const row = page.getByRole('row').filter({ hasText: 'Laptop' })
    await row.getByText('yours').waitFor()
    assert.equal((await passkeysIn(authenticator)).length, 1)
    assert.deepEqual(await violationsOn(page, 'passkeys'), [])

    await page.context().clearCookies()
    await page.goto(`${url}/app/access?tab=passkeys`)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    assert.deepEqual(await violationsOn(page, 'sign-in'), [])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await row.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete passkey' }).click()
    // The session began with the passkey and ends with it.
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('alert').waitFor()
    // Without a session, the first call is refused, and so is the deleted passkey.
    assert.deepEqual(
      complaints.filter((one) => !/status of 40[13]/.test(one)),
      [],
    )
    await close()
  })
})
