import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const LOCK = join(HERE, 'package-lock.json')
const INSTALLED = join(HERE, 'node_modules/.installed-lock.json')

/**
 * Installs the frameworks and runtimes that the SDK supports, unless they are already installed. They have their own
 * lock file because only these tests need them.
 */
export async function install(): Promise<void> {
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(LOCK, 'utf8')) return
  const [code] = await once(spawn('npm', ['ci'], { cwd: HERE, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`npm ci in integrations/ ended with ${code}`)
  copyFileSync(LOCK, INSTALLED)
}
