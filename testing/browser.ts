import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import type { TestScope } from './scope.ts'

/** Libraries that a minimal machine may lack, shipped with the browser. */
const LIBRARIES = fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')))

/** A real headless Chromium from the registry. */
export async function openBrowser(scope: TestScope, flags: readonly string[] = []): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  const launch = (env: Record<string, string>) =>
    playwright.launch({ executablePath, args: ['--no-sandbox', ...flags], env })
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const browser = await launch(env).catch(async () =>
    launch({ ...env, LD_LIBRARY_PATH: join(await inflate(LIBRARIES), 'lib') }),
  )
  scope.after(() => browser.close())
  return browser
}
