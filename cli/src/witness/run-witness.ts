import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { styleText } from 'node:util'
import { type NoteKey, vkeyOf } from '@deputize/protocol'
import { DirectoryInUse, KeyFileError, lockDataDirectory, VERSION } from '@deputize/server'
import { hasSeenLogs, type Memory, openMemory } from './memory.ts'
import { type GivenOptions, readSettings, StartError, type WitnessSettings } from './settings.ts'
import { type Notice, witness } from './witness.ts'
import { openWitnessKey } from './witness-key.ts'
import { witnessServer } from './witness-server.ts'

const EXIT_FAILED = 70
const EXIT_CONFIG = 78
const DRAIN_MS = 5_000

/** Runs a witness until a signal ends it. */
export async function runWitness(options: GivenOptions): Promise<void> {
  process.umask(0o077) // the key and what was seen are nobody else's to write
  try {
    await start(readSettings(options))
  } catch (error) {
    refuseToStart(error, options)
  }
}

async function start(settings: WitnessSettings): Promise<void> {
  const { data_dir, name, logs, host, port } = settings
  // Two witnesses on one directory could cosign two trees. The lock ends with the process.
  const lock = lockDataDirectory(data_dir)
  const signer = openWitnessKey(data_dir, name, Date.now(), hasSeenLogs(data_dir))
  const memory = await openMemory(data_dir, signer.key, logs)
  const watching = witness({ signer, memory, logs, now_ms: Date.now, notify })
  const server = witnessServer(watching, (error) => {
    notify({ event: 'failure', detail: error instanceof Error ? String(error.stack) : String(error) })
  })
  server.listen(port, host)
  await once(server, 'listening')
  endOnSignal(server, lock)
  process.stdout.write(startScreen(settings, addressOf(server), signer.key, memory))
}

/** One line of JSON for each thing that the operator should see. */
function notify(notice: Notice): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...notice })}\n`)
}

function addressOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the witness listens nowhere')
  const host = isIPv6(address.address) ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}

/** What has begun is answered; callers who do not come to an end are cut off, since nothing is half kept. */
function endOnSignal(server: Server, lock: { release(): void }): void {
  let isEnding = false
  const end = () => {
    if (isEnding) return
    isEnding = true
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref()
    server.close(() => {
      lock.release()
      process.exit(0)
    })
    server.closeIdleConnections()
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

function startScreen(
  { data_dir, logs }: WitnessSettings,
  address: string,
  key: NoteKey,
  memory: Memory,
): string {
  const dim = (text: string) => styleText('dim', text)
  const watched = logs.map((log) => {
    const size = memory.last(log.name)?.checkpoint.size
    return `  ${dim('log')}       ${vkeyOf(log)} (${size === undefined ? 'not seen yet' : `size ${size}`})\n`
  })
  return `
  ${styleText('bold', 'Deputy witness')} ${VERSION}

  ${dim('address')}   ${address}
  ${dim('key')}       ${vkeyOf(key)}
  ${dim('data')}      ${data_dir}
${watched.join('')}  ${dim('trusts')}    the keys of these logs, and nobody else; anybody may ask

`
}

function refuseToStart(error: unknown, { host, port }: GivenOptions): never {
  if (error instanceof StartError) giveUp(error.problems, EXIT_CONFIG)
  if (error instanceof DirectoryInUse || error instanceof KeyFileError) giveUp([error.message], EXIT_CONFIG)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'EADDRINUSE')
    giveUp(
      [`Port ${port} on ${host} is taken. Stop the other program, or choose another with --port.`],
      EXIT_CONFIG,
    )
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    giveUp([`--host ${host} is not an address of this machine.`], EXIT_CONFIG)
  if (code === 'EACCES' || code === 'EROFS')
    giveUp([`${message}. Choose a directory that can be written with --data.`], EXIT_CONFIG)
  giveUp([message], EXIT_FAILED)
}

function giveUp(problems: readonly string[], code: number): never {
  process.stderr.write(`The witness cannot start.\n${problems.map((problem) => `  - ${problem}\n`).join('')}`)
  process.exit(code)
}
