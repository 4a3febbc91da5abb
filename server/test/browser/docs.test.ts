import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openBrowser } from '@deputize/testing/browser.ts'
import { startProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { violationsOn } from './accessible.ts'
import { aDashboardPage, fitsWindow } from './dashboard-page.ts'

const scope = { after }

describe('the pages in a real browser', async () => {
  const program = await startProgram(temporaryDirectory(scope))
  after(() => program.stop())
  const browser = await openBrowser(scope)

  test('the API reference shows every operation and calls no other host', async () => {
    const page = await browser.newPage({ locale: 'en-US' })
    const foreign: string[] = []
    const faults: string[] = []
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url())
      if (protocol.startsWith('http') && host !== new URL(program.url).host) foreign.push(request.url())
    })
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(`${program.url}/docs`)
    await page.getByText('Issue a root token (L1)').first().waitFor({ timeout: 60_000 })
    await page.getByText('Rate an action').first().waitFor({ state: 'attached' })
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs.png` })
    assert.deepEqual(foreign, [])
    assert.deepEqual(faults, [])
    await page.close()
  })

  test('the root leads to the dashboard, and the help pages of error codes can be opened', async () => {
    const page = await browser.newPage({ locale: 'en-US' })
    await page.goto(program.url)
    await page.getByRole('heading', { level: 1, name: 'Welcome to Deputy' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/app')
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/home.png` })
    await page.goto(`${program.url}/problems?q=rating_immutable`)
    await page.locator('a[href="/problems/rating_immutable"]').click()
    assert.match((await page.locator('main').textContent()) ?? '', /409/)
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/problem.png` })
    await page.close()
  })

  test('the guides can be searched and read on a desktop in light and on a phone in dark', async () => {
    for (const [scheme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const { page, complaints, close } = await aDashboardPage(browser, scheme, width)
      await page.goto(`${program.url}/guides`)
      await page.getByRole('searchbox', { name: 'Search' }).fill('witness')
      await page.keyboard.press('Enter')
      await page.locator('ul.found a').first().waitFor()
      for (const path of ['/guides?q=witness', '/guides', '/guides/dashboard', '/guides/audit']) {
        await page.goto(`${program.url}${path}`)
        assert.ok(await fitsWindow(page), `${path} ${width}`)
        assert.deepEqual(await violationsOn(page, `${path} ${scheme}`), [])
        if (process.env.SCREENSHOTS !== undefined)
          await page.screenshot({
            path: `${process.env.SCREENSHOTS}/guides${path.replaceAll(/\W/g, '-')}-${width}.png`,
          })
      }
      await page.goto(`${program.url}/guides/dashboard`)
      const wide = await page.evaluate<number>('document.querySelector("main img").naturalWidth')
      assert.ok(wide > 300, 'its picture is shown')
      assert.deepEqual(complaints, [])
      await close()
    }
  })

  test('a page of another site cannot call the service', async () => {
    const page = await browser.newPage()
    await page.goto('data:text/html,<title>elsewhere</title>')
    const outcome = await page.evaluate(async (url) => {
      try {
        const answer = await fetch(`${url}/v1/vat/revoke`, { method: 'POST', mode: 'no-cors', body: '{}' })
        return answer.type
      } catch {
        return 'failed'
      }
    }, program.url)
    assert.notEqual(outcome, 'basic')
    await page.close()
  })
})
