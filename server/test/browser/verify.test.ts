import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { openBrowser } from '@deputize/testing/browser.ts'
import { aLog, aSignatory, type TestLog } from '@deputize/testing/log/a-log.ts'
import { aPack, aReceipt, aWorkflowLog, packText } from '@deputize/testing/log/a-workflow-log.ts'
import { aTruth, LIES } from '@deputize/testing/log/lies.ts'
import { serveLog } from '@deputize/testing/log/serve-log.ts'
import type { Page } from 'playwright-core'
import { buildVerifyScript, VERIFY_SCRIPT_FILE } from '../../../web/build.ts'
import { VERIFY_CSP, verifyPage } from '../../src/http/pages/verify-page.ts'
import { aKeyedApp } from '../http/a-keyed-app.ts'

const scope = { after }

test('the script of the verify page is built from its sources', async () => {
  assert.equal(readFileSync(VERIFY_SCRIPT_FILE, 'utf8'), await buildVerifyScript(), 'run: node web/build.ts')
})

describe('the verify page, in a real browser', async () => {
  const browser = await openBrowser(scope)

  /** Opens the page on a server that also serves a log, genuine or not. */
  async function aPage(log: TestLog) {
    const served = await serveLog(scope, log.files)
    served.interrupt = (request, response) => {
      if (request.url === '/verify.js')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(VERIFY_SCRIPT_FILE))
      else if (request.url === '/verify')
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': VERIFY_CSP })
          .end(verifyPage())
      else return false
      return true
    }
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 360, height: 800 } })
    const troubles: string[] = []
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => {
      // A missing log file is an answer, not an error of the page.
      if (message.type() === 'error' && !message.text().includes('404')) troubles.push(message.text())
    })
    await page.goto(`${served.url}/verify`)
    return { page, served, troubles }
  }

  async function check(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.locator('#check:enabled').waitFor()
    return (await page.locator('#log-outcome').innerText()).replaceAll(/\s+/g, ' ')
  }

  async function checkFile(page: Page, name: string, text: string): Promise<string> {
    await page.locator('#file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.locator('#file-outcome .card').filter({ hasText: /./ }).waitFor()
    await page.locator('#check:enabled').waitFor()
    return (await page.locator('#file-outcome').innerText()).replaceAll(/\s+/g, ' ')
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (process.env.SCREENSHOTS === undefined) return
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true })
  }

  test('verifies an honest log, pins its key, and verifies its growth', async () => {
    const { log, before } = await aTruth()
    const { page, served, troubles } = await aPage(before)
    const startOver = page.getByRole('button', { name: 'Start over' })
    assert.equal(await startOver.isVisible(), false)
    const first = await check(page)
    assert.ok(await startOver.isVisible())
    assert.match(first, / Times \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to .*\d\d:\d\d:\d\d UTC /)
    assert.match(first, /^Verified All 400 entries match the signed log\. This was the first contact/)
    assert.ok(first.includes(log.vkey))
    await shoot(page, 'verify-first')
    served.files = log.files
    await page.reload()
    assert.match((await page.locator('#memory').textContent()) ?? '', /Last verified with 400 entries/)
    assert.match(await check(page), /All 600 entries .* 200 of them new/)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 1000, height: 800 })
    await shoot(page, 'verify-dark')
    assert.deepEqual(troubles, [])
    await page.close()
  })

  test('reports every manipulation of a log with its code', async () => {
    const { log, before } = await aTruth()
    const { page, served, troubles } = await aPage(before)
    await check(page)
    for (const { name, expect, tell } of LIES) {
      served.files = await tell({ log, before })
      const outcome = await check(page)
      assert.match(outcome, /^Verification failed/, name)
      assert.ok(outcome.includes(`Code ${expect}`), `${name}: ${outcome}`)
      if (expect === 'log_forked') {
        await page.getByText('Checkpoints that prove the fault').click()
        assert.equal(await page.locator('#log-outcome pre').first().textContent(), before.note)
        await shoot(page, 'verify-fork')
      }
    }
    assert.deepEqual(troubles, [])
    await page.close()
  })

  test('keeps the pinned key until the user starts over', async () => {
    const mine = await aLog({ size: 5 })
    const other = await aLog({ size: 5, signatory: aSignatory(undefined, 2) })
    const { page, served } = await aPage(mine)
    await check(page)
    served.files = other.files
    assert.match(await check(page), /Verification failed .* Code key_changed/)
    await page.getByRole('button', { name: 'Start over' }).click()
    assert.match(await check(page), /^Verified/)
    await page.close()
  })

  test('verifies a proof pack and a receipt without sending them to any server', async () => {
    const workflow = await aWorkflowLog()
    const { page, served, troubles } = await aPage(workflow.log)
    const requests = served.requests.length
    const pack = packText(aPack(workflow))
    assert.match(
      await checkFile(page, 'pack.jsonl', pack),
      /^Verified The proof pack pack\.jsonl is consistent/,
    )
    assert.equal(served.requests.length, requests)
    await check(page)
    assert.match(
      await checkFile(page, 'pack.jsonl', pack),
      /signed by the pinned key of this service.*11 entries, 5 records/,
    )
    const receipt = JSON.stringify(aReceipt(workflow), null, 2)
    assert.match(await checkFile(page, 'receipt.json', receipt), /Verified .*Record aar_3.*Rated 2027/)
    await shoot(page, 'verify-file')
    const cut = packText(aPack(workflow).slice(0, -1))
    assert.match(await checkFile(page, 'cut.jsonl', cut), /^Verification failed .* Code pack_truncated/)
    assert.match(await checkFile(page, 'note.txt', 'hello'), /^Could not be checked The file is neither/)
    assert.deepEqual(troubles, [])
    await page.close()
  })

  test('reports an unreachable service and one without a log', async () => {
    const { page, served } = await aPage(await aLog({ size: 5 }))
    served.files = new Map()
    assert.match(await check(page), /^Could not be checked This service does not publish a log key/)
    served.interrupt = (_request, response) => {
      response.destroy()
      return true
    }
    assert.match(await check(page), /^Could not be checked The service is unreachable/)
    await page.close()
  })

  test('fits a narrow screen, and every control has a name', async () => {
    const { page } = await aPage(await aLog({ size: 5 }))
    await check(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.equal(width, 360)
    for (const name of ['Verify the log', 'Start over']) await page.getByRole('button', { name }).waitFor()
    await page.getByLabel('Choose a file').waitFor({ state: 'attached' })
    await page.keyboard.press('Tab')
    assert.notEqual(await page.evaluate('document.activeElement?.tagName'), 'BODY')
    await page.close()
  })

  test('checks the hashes of a keyed service for anyone, and its entries with the key of an auditor', async () => {
    const app = await aKeyedApp(scope)
    const operator_key = await app.key('default', 'auditor')
    const url = await app.test.listen()
    const page = await browser.newPage({ locale: 'en-US' })
    await page.goto(`${url}/verify`)
    const size = await app.test.logSize()
    await app.test.context.log.checkpointSigner.covering(size)
    const outcome = await check(page)
    assert.match(outcome, new RegExp(`^Verified The hashes of all ${size} entries match the signed log`))
    assert.match(outcome, /The entries themselves were not read/)
    const key = page.getByLabel('API key of an operator or auditor')
    await key.fill('dk_wrong')
    assert.match(await check(page), /^Could not be checked The service does not accept this key/)
    await key.fill(operator_key)
    assert.match(
      await check(page),
      new RegExp(`^Verified All ${size} entries match the signed log, 0 of them new`),
    )
    await page.close()
    const fresh = await browser.newPage({ locale: 'en-US' })
    await fresh.goto(`${url}/verify`)
    const given = fresh.getByLabel('API key of an operator or auditor')
    await given.fill('dk_wrong')
    assert.match(await check(fresh), /^Could not be checked/)
    await given.fill(operator_key)
    assert.match(await check(fresh), /This was the first contact/, 'a failed check is not one that passed')
    await fresh.close()
  })
})
