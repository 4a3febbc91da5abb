import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { hostNode } from '@deputize/testing/a-package.ts'
import { ROOT } from '../build/sources.ts'

/** The search path of a machine with its own Node, without the binaries of this repository. */
export const HOST_PATH: string = [dirname(hostNode()), '/usr/bin', '/bin'].join(delimiter)

interface Manifest {
  readonly version: string
  readonly bin: { readonly deputy: string }
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

export interface Installed {
  /** The folder of the package. */
  readonly home: string
  /** The command, as npm links it. */
  readonly command: string
}

/**
 * Unpacks a tarball as `npm install <tarball>` does in an empty folder. Its dependencies are linked from the repository, so no
 * registry is needed.
 */
export function installIn(folder: string, tarball: string): Installed {
  const modules = join(folder, 'node_modules')
  const home = unpack(tarball, join(modules, 'deputize'))
  const { dependencies, optionalDependencies } = manifestIn(home)
  linkPackages(modules, [...Object.keys(dependencies), ...Object.keys(optionalDependencies)])
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  linkCommand(modules, 'node', process.execPath) // the bundled Node has a command too
  return { home, command: linkCommand(modules, 'deputy', join(home, manifestIn(home).bin.deputy)) }
}

/** Unpacks a tarball as `npm install --global --prefix <prefix>` does, with or without the bundled Node. */
export function installGlobally(prefix: string, tarball: string, { with_node = true } = {}): Installed {
  const home = unpack(tarball, join(prefix, 'lib/node_modules/deputize'))
  const { bin, dependencies, optionalDependencies } = manifestIn(home)
  linkPackages(join(home, 'node_modules'), [
    ...Object.keys(dependencies),
    ...(with_node ? Object.keys(optionalDependencies) : []),
  ])
  const command = join(prefix, 'bin/deputy')
  mkdirSync(dirname(command))
  symlinkSync(relative(dirname(command), join(home, bin.deputy)), command)
  return { home, command }
}

function unpack(tarball: string, home: string): string {
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'])
  return home
}

/** Optional packages exist only for this platform, as with npm. */
function linkPackages(modules: string, names: readonly string[]): void {
  for (const name of names) {
    const from = join(ROOT, 'node_modules', name)
    const to = join(modules, name)
    mkdirSync(dirname(to), { recursive: true })
    if (existsSync(from)) symlinkSync(from, to)
  }
}

function linkCommand(modules: string, name: string, file: string): string {
  const link = join(modules, '.bin', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(relative(dirname(link), file), link)
  return link
}
