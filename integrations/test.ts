/**
 * Tests the SDK in the frameworks and runtimes that it is made for. They are installed here, from a lock file of their own:
 * whoever runs the service needs none of them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const LOCK = join(HERE, 'package-lock.json')
const INSTALLED = join(HERE, 'node_modules/.installed-lock.json')
const ENV = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }

install()
process.exitCode =
  run('../node_modules/.bin/tsc', '--noEmit') || run(process.execPath, '--test', 'test/*.test.ts')

function install(): void {
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(LOCK, 'utf8')) return
  execFileSync('npm', ['ci'], { cwd: HERE, env: ENV, stdio: 'inherit' })
  copyFileSync(LOCK, INSTALLED)
}

function run(program: string, ...args: string[]): number {
  return spawnSync(program, args, { cwd: HERE, env: ENV, stdio: 'inherit' }).status ?? 1
}
