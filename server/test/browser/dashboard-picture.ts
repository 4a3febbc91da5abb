/** Draws the picture of the dashboard in the README: the real page in a real browser, with the day of the tests. */
import { fileURLToPath } from 'node:url'
import { deputy } from '@deputize/sdk'
import { aBusyDay } from '@deputize/testing/a-busy-day.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'

const PICTURE = fileURLToPath(new URL('../../../docs/guides/dashboard.png', import.meta.url))

async function drawDashboard(scope: TestScope): Promise<void> {
  const browser = await openBrowser(scope)
  const { url } = await aProgram(scope, temporaryDirectory(scope))
  await aBusyDay(deputy({ url }))
  const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1280, height: 800 } })
  await page.goto(`${url}/app?range=24h`)
  await page.getByRole('button', { name: 'Approve $310.00' }).waitFor()
  await page.getByRole('img', { name: /Actions/ }).waitFor()
  await page.screenshot({ path: PICTURE })
}

const closings: (() => unknown)[] = []
await drawDashboard({ after: (close) => void closings.push(close) })
for (const close of closings.reverse()) await close()
