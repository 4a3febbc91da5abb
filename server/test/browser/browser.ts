import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import type { Scope } from '../builders.ts'

/** A real Chromium, from the registry, without a window. */
export async function openBrowser(scope: Scope): Promise<Browser> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox'],
  })
  scope.after(() => browser.close())
  return browser
}
