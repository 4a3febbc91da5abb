import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TestScope, temporaryDirectory } from './scope.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PARTS = ['package.json', 'tsconfig.json', 'LICENSE', 'protocol', 'sdk/node', 'web/dist/widget.js']
const ENV = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }

export interface InstalledPackage {
  /** A folder outside the repository with only this package installed. */
  readonly folder: string
  readonly tarball: string
}

/** Packs the SDK and installs it as a user would. Works on a copy, because packing changes package.json temporarily. */
export function anInstalledPackage(scope: TestScope): InstalledPackage {
  const copy = temporaryDirectory(scope)
  for (const part of PARTS)
    cpSync(join(ROOT, part), join(copy, part), { recursive: true, filter: (path) => !path.endsWith('/dist') })
  linkModules(copy)
  const packed = temporaryDirectory(scope)
  npm(join(copy, 'sdk/node'), 'pack', '--pack-destination', packed)
  const [tarball = ''] = readdirSync(packed)
  const folder = temporaryDirectory(scope)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(packed, tarball))
  return { folder, tarball: join(packed, tarball) }
}

/** Links the installed packages, and the copies in place of this repository's own. */
function linkModules(copy: string): void {
  const modules = join(copy, 'node_modules')
  mkdirSync(join(modules, '@deputize'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@deputize') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  symlinkSync(join(copy, 'protocol'), join(modules, '@deputize/protocol'))
}

function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, env: ENV, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** The Node installed on this machine, which may be older than the project's own. */
export function hostNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const own = folders.filter(
    (folder) => !folder.includes('node_modules') && folder !== dirname(process.execPath),
  )
  for (const folder of own) {
    try {
      execFileSync(join(folder, 'node'), ['--version'], { stdio: 'ignore' })
      return join(folder, 'node')
    } catch {
      // not in this folder
    }
  }
  return process.execPath
}
