import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { unzipped, withNewHashes, zipped } from '@deputize/testing/log/an-audit-archive.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Page } from 'playwright-core'
import { violationsOn } from './accessible.ts'
import { aDashboardPage, fitsWindow, screenIsShown } from './dashboard-page.ts'

const scope = { after }

describe('an auditor, in a real browser', async () => {
  const browser = await openBrowser(scope)
  const { url, operator, client: developer } = await aKeyedDeployment(scope)
  const { key } = await operator.createKey({ name: 'auditor', role: 'auditor' })
  await operator.updateTenant({ tenant_id: 'default', allow_bearer: true })
  const { vkey } = (await developer.getDeployment()).log
  const folder = temporaryDirectory(scope)
  const { jti } = await developer.issueL1({
    developer_email: 'dev@example.com',
    agent_id: 'invoice-bot',
    resources: ['invoices:2027'],
    actions: ['read'],
  })
  await developer.suspendToken({ jti })
  const { page, complaints } = await aDashboardPage(browser, 'light', 1440)
  page.setDefaultTimeout(60_000)

  async function checkedFile(on: Page, name: string, buffer: Buffer): Promise<string> {
    await on.locator('#file').setInputFiles({ name, mimeType: 'application/zip', buffer })
    await on.locator('#check:enabled').waitFor()
    return (await on.locator('#file-outcome .card').innerText()).replaceAll(/\s+/g, ' ')
  }

  function verify(archive: Buffer) {
    const file = join(folder, 'pack.zip')
    writeFileSync(file, archive)
    const { status, stdout } = spawnSync(process.execPath, [CLI, 'verify', file, '--key', vkey, '--json'], {
      encoding: 'utf8',
    })
    return { status, ...JSON.parse(stdout) }
  }

  let archive: Buffer

  test('can create and download a pack, which the command verifies without the service', async () => {
    await page.goto(`${url}/app/audit`)
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('API key').waitFor({ state: 'detached' })
    await page.getByLabel('Agents').fill('nobody')
    await page.getByText('Nothing to audit.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Download pack' }).count(), 0)
    await page.getByLabel('Agents').fill('invoice-bot')
    await page.locator('button:enabled', { hasText: 'Download pack' }).waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download pack' }).click(),
    ])
    archive = readFileSync(await saved.path())
    await page.getByText(/audit-pack-.*\.zip is complete/).waitFor()
    const { status, outcome, verdict, pinned } = verify(archive)
    assert.deepEqual([status, outcome, pinned, verdict.totals.workflows], [0, 'sound', true, 1])
  })

  test('sees what differs in a modified pack, with the command and on the page', async () => {
    const files = await unzipped(archive)
    const decisions = (files.get('decisions.csv') ?? '').replace(',suspended,', ',resumed,')
    const forged = await zipped(withNewHashes(new Map([...files, ['decisions.csv', decisions]])))
    const told = verify(forged)
    assert.deepEqual([told.status, told.code], [1, 'audit_decisions_differ'])
    assert.match(told.sentence, /decisions\.csv, line 2/)
    await page.goto(`${url}/verify`)
    assert.match(
      await checkedFile(page, 'forged.zip', forged),
      /^Verification failed .*decisions\.csv, line 2/,
    )
    assert.match(
      await checkedFile(page, 'pack.zip', archive),
      /^Verified The audit pack pack\.zip is consistent/,
    )
  })

  test('can verify the whole log on /verify in their session, and other people its public hashes', async () => {
    const check = async (on: Page) => {
      await on.getByRole('button', { name: 'Verify the log' }).click()
      await on.locator('#check:enabled').waitFor()
      return (await on.locator('#log-outcome').innerText()).replaceAll(/\s+/g, ' ')
    }
    assert.match(await check(page), /^Verified All \d+ entries match the signed log/)
    assert.match(await checkedFile(page, 'pack.zip', archive), /signed by the pinned key of this service/)
    const stranger = await aDashboardPage(browser, 'dark', 390)
    await stranger.page.goto(`${url}/verify`)
    assert.match(await check(stranger.page), /^Verified The hashes of all \d+ entries match the signed log/)
    await stranger.close()
  })

  test('can select single workflows on a phone, where the screen fits and is accessible', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${url}/app/audit?by=workflows`)
    await page.getByText('Nothing is chosen yet.').waitFor()
    await page.getByRole('checkbox').first().check()
    await page.getByText('1 workflow ticked.').waitFor()
    await screenIsShown(page, '/app/audit')
    assert.ok(await fitsWindow(page))
    assert.deepEqual(await violationsOn(page, '/app/audit'), [])
    assert.match(page.url(), /workflow=prov_/)
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/audit-phone.png`, fullPage: true })
    assert.deepEqual(
      complaints.filter((text) => !text.includes('401')),
      [],
    )
  })
})
