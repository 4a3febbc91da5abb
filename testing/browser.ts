import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflate } from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import type { TestScope } from './scope.ts'
import { REPOSITORY } from './source-imports.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')))
/** Libraries that a minimal machine may lack, shipped with the browser. */
const LIBRARIES = join(PACKAGE, 'bin/al2023.tar.br')

/** A real headless Chromium from the registry. */
export async function openBrowser(scope: TestScope, flags: readonly string[] = []): Promise<Browser> {
  const executablePath = await unpackedBrowser()
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

let unpacking: Promise<string> | undefined

/** Unpacks the browser once for all test processes: it takes seconds. The package unpacks into the temp directory. */
function unpackedBrowser(): Promise<string> {
  unpacking ??= unpack()
  return unpacking
}

async function unpack(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const directory = join(REPOSITORY, 'node_modules/.cache', `chromium-${version}`)
  if (!existsSync(directory)) {
    await mkdir(dirname(directory), { recursive: true })
    const fresh = await mkdtemp(`${directory}-`)
    const program = "await (await import('@sparticuz/chromium')).default.executablePath()"
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: fresh },
    })
    // Another process may have been faster.
    await rename(fresh, directory).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  return join(directory, 'chromium')
}
