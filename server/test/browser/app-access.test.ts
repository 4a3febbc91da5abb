import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { deputy, isDeputyError } from '@deputize/sdk'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { Page } from 'playwright-core'
import { violationsOn } from './accessible.ts'
import { aDashboardPage, faultsOfScreens, goToScreen } from './dashboard-page.ts'

const scope = { after }

/** Text that a hostile caller can make an operator read. */
const HOSTILE_NAME = '<img src=x onerror=alert(1)>\u202Egnp.exe'

describe('people, keys and policies in the dashboard, in keyed mode', async () => {
  const browser = await openBrowser(scope)
  const { url, operator, operator_key: key, client: developer } = await aKeyedDeployment(scope)
  await operator.createKey({ name: 'shop backend', role: 'developer' })
  await operator.updateTenant({ tenant_id: 'default', allow_bearer: true })

  /** Issues a token for a person, and returns their ref. */
  async function aKnownPerson(name: string): Promise<string> {
    const { jti } = await developer.issueL1({
      developer_email: `${name}@example.com`,
      agent_id: `helper-of-${name}`,
      resources: ['shop:orders'],
      actions: ['read', 'buy'],
      constraints: { max_spend_usd: 40, require_approval: { actions: ['buy'] } },
    })
    return (await operator.getToken({ jti })).human_ref
  }

  async function signIn(page: Page, with_key: string): Promise<void> {
    await page.getByLabel('API key').fill(with_key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('API key').waitFor({ state: 'detached' })
  }

  /** Gives the browser another session, as a sign-in in another tab does. */
  async function signInElsewhere(page: Page, with_key: string): Promise<void> {
    const status = await page.evaluate(async (sent) => {
      const me = (await (await fetch('/v1/vat/auth/me')).json()) as { csrf_token: string } // the answer in a session
      const headers = { 'content-type': 'application/json', 'deputy-csrf': me.csrf_token }
      const body = JSON.stringify({ key: sent })
      return (await fetch('/v1/vat/auth/sign-in/key', { method: 'POST', headers, body })).status
    }, with_key)
    assert.ok(status < 300, `signing in: ${status}`)
  }

  async function signedIn(path: string, with_key: string, scheme: 'light' | 'dark' = 'light', width = 1440) {
    const shown = await aDashboardPage(browser, scheme, width)
    await shown.page.goto(`${url}${path}`)
    await signIn(shown.page, with_key)
    // The browser rightly reports the call that was answered with 401.
    return { ...shown, complaints: () => shown.complaints.filter((text) => !text.includes('401')) }
  }

  test('every part works in both schemes at three widths, with hostile names, without jumps or motion', async () => {
    const human_ref = await aKnownPerson('ana')
    await operator.createKey({ name: HOSTILE_NAME, role: 'developer' })
    await operator.createWebhook({ url: 'https://hooks.example.com/deputy', description: HOSTILE_NAME })
    await operator.suggestAlertRules({})
    await assert.rejects(deputy({ url, key: 'dk_nope' }).listKeys())
    const paths = [
      '/app/health',
      '/app/people',
      `/app/people/${encodeURIComponent(human_ref)}`,
      ...['keys', 'sessions', 'tenants', 'policies', 'webhooks', 'alerts', 'security'].map(
        (tab) => `/app/access?tab=${tab}`,
      ),
    ]
    const shown = await signedIn('/app', key)
    const faults = await faultsOfScreens({ page: shown.page, complaints: [] }, paths)
    assert.deepEqual(shown.complaints(), [])
    await shown.close()
    assert.deepEqual(faults, [])
  })

  test('only one call is refused before the sign-in, because all others wait for it', async () => {
    const { page, close } = await aDashboardPage(browser, 'light', 1440)
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 401) refused.push(new URL(response.url()).pathname)
    })
    await page.goto(`${url}/app/agents`)
    await page.getByLabel('API key').waitFor()
    await signIn(page, key)
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    assert.deepEqual(refused, ['/v1/vat/auth/me'])
    await close()
  })

  test('a sign-in in another tab renews the session of this one, or reloads it for another caller', async () => {
    const auditor = await operator.createKey({ name: 'night auditor', role: 'auditor' })
    await operator.registerAgent({ agent_id: 'shared-screen' })
    const { page, close } = await signedIn('/app/agents/shared-screen', key)
    const elsewhere = (with_key: string) => signInElsewhere(page, with_key)
    await elsewhere(key)
    await page.getByRole('button', { name: 'Stop shared-screen…' }).click()
    await page.getByRole('button', { name: 'Suspend shared-screen' }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
    assert.equal((await operator.getAgent({ agent_id: 'shared-screen' })).suspended, true)

    await elsewhere(auditor.key)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'shared-screen', level: 1 }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Stop|Resume)/ }).count(), 0)
    assert.equal((await operator.getAgent({ agent_id: 'shared-screen' })).suspended, true)

    await elsewhere(key)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
    await close()
  })

  test('signing out works after a sign-in in another tab, and says so if it fails', async () => {
    const { page, close } = await signedIn('/app/agents', key)
    const signOut = async () => {
      await page.locator('header summary').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    await page.route('**/v1/vat/auth/logout', (route) => route.abort())
    await signOut()
    await page.getByText('The service could not be reached.').first().waitFor()
    await page.unroute('**/v1/vat/auth/logout')
    await signInElsewhere(page, key)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Deputy' }).waitFor()
    assert.deepEqual(
      (await page.context().cookies()).filter(({ name }) => name === 'deputy_session'),
      [],
    )
    await close()
  })

  test('a key is shown once, can be replaced, and can be deleted after a preview of what ends with it', async () => {
    const { page, complaints, close } = await signedIn('/app/access', key)
    await page.getByRole('button', { name: 'Create key…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What the key is for').fill('night backend')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const made = await dialog.locator('pre').innerText()
    assert.deepEqual(await violationsOn(page, 'new key'), [])
    await dialog.getByRole('button', { name: 'I stored it' }).click()
    assert.equal((await deputy({ url, key: made }).getMe()).role, 'developer')
    assert.ok(!(await page.content()).includes(made))
    const row = page.getByRole('row', { name: /night backend/ })
    await row.getByRole('button', { name: 'Replace…' }).click()
    await dialog.getByLabel('The old key ends').selectOption('0')
    await dialog.getByRole('button', { name: 'Replace key' }).click()
    const next = await dialog.locator('pre').innerText()
    await dialog.getByRole('button', { name: 'I stored it' }).click()
    const { key_id = '' } = await deputy({ url, key: next }).getMe()
    const session = await signedIn('/app/agents', next)
    await page.getByRole('row').filter({ hasText: key_id }).getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByText('1 session').waitFor()
    await dialog.getByRole('button', { name: 'Delete key' }).click()
    await dialog.waitFor({ state: 'detached' })
    await assert.rejects(deputy({ url, key: next }).getMe(), (error) =>
      isDeputyError(error, 'credential_invalid'),
    )
    assert.deepEqual(complaints(), [])
    await session.close()
    await close()
  })

  test('a secret that is shown once stays until its button is pressed, and a dangerous question starts at Cancel', async () => {
    const { page, complaints, close } = await signedIn('/app/access?tab=keys', key)
    await page.getByRole('button', { name: 'Create key…' }).click()
    await page.getByLabel('What the key is for').fill('night job')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const shown = page.getByRole('dialog')
    await shown.locator('pre').waitFor()
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const { x = 0, y = 0, height = 0 } = (await shown.locator('pre').boundingBox()) ?? {}
    await page.mouse.move(x + 60, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await page.mouse.up()
    assert.ok(await shown.isVisible())
    await shown.getByRole('button', { name: 'I stored it' }).click()
    await shown.waitFor({ state: 'detached' })

    const row = page.getByRole('row').filter({ hasText: 'night job' })
    await row.getByRole('button', { name: /^Delete/ }).click()
    const question = page.getByRole('dialog', { name: /Delete the key/ })
    await question.locator('button:focus', { hasText: 'Cancel' }).waitFor()
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    await row.waitFor()
    assert.deepEqual(complaints(), [])
    await close()
  })

  test('a session can be ended in the list of sessions', async () => {
    const { key: other } = await operator.createKey({ name: 'second desk', role: 'auditor' })
    const desk = await signedIn('/app/log', other)
    const { page, close } = await signedIn('/app/access?tab=sessions', key)
    await page
      .getByRole('row', { name: /second desk/ })
      .getByRole('button', { name: 'End…' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByRole('row', { name: /second desk/ }).waitFor({ state: 'detached' })
    await desk.page.reload()
    await desk.page.getByLabel('API key').waitFor()
    await desk.close()
    await close()
  })

  test('a person can be refused, stopped after a preview, and erased after typing the end of the ref', async () => {
    const human_ref = await aKnownPerson('bo')
    const { page, complaints, close } = await signedIn(`/app/people/${encodeURIComponent(human_ref)}`, key)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Refuse new tokens…' }).click()
    await dialog.getByRole('button', { name: 'Refuse new tokens' }).click()
    await page.getByRole('button', { name: 'Accept tokens again…' }).waitFor()
    await page.getByRole('button', { name: 'Stop everything…' }).click()
    await dialog.getByText('1 live token').waitFor()
    assert.equal((await operator.getHuman({ human_ref })).live_tokens, 1)
    await dialog.getByRole('button', { name: 'Revoke all tokens' }).click()
    await eventually(
      'the tokens stop',
      async () => (await operator.getHuman({ human_ref })).live_tokens === 0,
    )
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Erase…' }).click()
    const erase = dialog.getByRole('button', { name: 'Erase for good' })
    await dialog.getByRole('textbox').fill('wrong')
    assert.ok(await erase.isDisabled())
    assert.deepEqual(await violationsOn(page, 'erase dialog', { rules: ['color-contrast', 'label'] }), [])
    await dialog.getByRole('textbox').fill(human_ref.slice(-5))
    await erase.click()
    await page.locator('.lead .outcome', { hasText: 'erased' }).waitFor()
    assert.notEqual((await operator.getHuman({ human_ref })).erased_at, undefined)
    assert.equal(await page.getByRole('button', { name: 'Stop everything…' }).count(), 0)
    assert.deepEqual(complaints(), [])
    await close()
  })

  test('the settings of a tenant can be changed, and auditors see them without the button', async () => {
    const { page, close } = await signedIn('/app/access?tab=tenants', key)
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByRole('dialog').getByLabel('approvals').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('approvals', { exact: true }).waitFor()
    const [tenant] = (await operator.listTenants({})).data
    assert.deepEqual(tenant?.step_up, ['approve'])
    const limit = async (calls: string) => {
      await page.getByRole('button', { name: 'Change…' }).click()
      await page.getByLabel('Calls per minute').fill(calls)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      return (await operator.getTenant({ tenant_id: 'default' })).rate_limit
    }
    assert.deepEqual([await limit('9000'), await limit('')], [9000, undefined])
    await close()
    const { key: auditor } = await operator.createKey({ name: 'auditor', role: 'auditor' })
    const read = await signedIn('/app/access?tab=tenants', auditor)
    await read.page.getByText('approvals', { exact: true }).waitFor()
    assert.equal(await read.page.getByRole('button', { name: 'Change…' }).count(), 0)
    await goToScreen(read.page, '/app/access?tab=keys')
    await read.page.getByRole('table', { name: 'API keys' }).waitFor()
    assert.equal(await read.page.getByRole('button', { name: /^(Create|Replace|Delete)/ }).count(), 0)
    await read.close()
  })

  test('an operator of the deployment can create a tenant, and create and list its keys', async () => {
    const { page, complaints, close } = await signedIn('/app/access?tab=tenants', key)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Create tenant…' }).click()
    await dialog.getByLabel('ID').fill('Not an ID!')
    await dialog.getByRole('button', { name: 'Create tenant' }).click()
    await dialog.locator('input[aria-invalid=true]:focus').waitFor()
    assert.deepEqual(await violationsOn(page, 'tenant form'), [])
    await dialog.getByLabel('ID').fill('harbour')
    await dialog.getByLabel('Name').fill('Harbour Ltd')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await goToScreen(page, '/app/access')
    await page.getByLabel('Tenant').selectOption('harbour')
    await page.getByText('No keys.').waitFor()
    await page.getByRole('button', { name: 'Create key…' }).click()
    await dialog.getByLabel('What the key is for').fill('crane')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const made = await dialog.locator('pre').innerText()
    assert.equal((await deputy({ url, key: made }).getMe()).tenant_id, 'harbour')
    assert.deepEqual(
      complaints().filter((one) => !/status of 400/.test(one)),
      [],
    )
    await close()
  })
})
