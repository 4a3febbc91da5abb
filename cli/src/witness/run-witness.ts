import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { styleText } from 'node:util'
import { type NoteKey, vkeyOf } from '@deputize/protocol'
import { DirectoryInUse, KeyFileError, lockDataDirectory, VERSION } from '@deputize/server/data-directory'
import { EXIT } from '../exit-codes.ts'
import { errorText, exitWithProblems, StartError } from '../start-problems.ts'
import { readSettings, type WitnessOptions, type WitnessSettings } from './settings.ts'
import { hasSeenLogs, openWitnessState, type WitnessState } from './state.ts'
import { openWitness, type WitnessNotice } from './witness.ts'
import { openWitnessKey } from './witness-key.ts'
import { witnessServer } from './witness-server.ts'

/** How long open requests may take after a signal. */
const SHUTDOWN_MS = 5_000

/** Runs a witness until a signal ends it. */
export async function runWitness(options: WitnessOptions): Promise<void> {
  process.umask(0o077) // other users must not read or write the key and the checkpoints
  try {
    await startWitness(readSettings(options))
  } catch (error) {
    exitWithProblems('The witness', ...startProblems(error, options))
  }
}

async function startWitness(settings: WitnessSettings): Promise<void> {
  const { data_dir, name, logs, host, port } = settings
  // Two processes on one directory could cosign two different trees. A crash releases the lock.
  const lock = lockDataDirectory(data_dir)
  const signer = openWitnessKey(data_dir, name, Date.now(), hasSeenLogs(data_dir))
  const state = await openWitnessState(data_dir, signer.key, logs)
  const watching = openWitness({ signer, state, logs, now_ms: Date.now, notify })
  const server = witnessServer(watching, (error) => {
    notify({ event: 'failure', detail: error instanceof Error ? String(error.stack) : String(error) })
  })
  server.listen(port, host)
  await once(server, 'listening')
  closeOnSignal(server, lock)
  process.stdout.write(witnessScreen(settings, listeningUrl(server), signer.key, state))
}

/** One line of JSON for each event that the operator should see. */
function notify(notice: WitnessNotice): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...notice })}\n`)
}

function listeningUrl(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The witness is not listening on a TCP port.')
  const host = isIPv6(address.address) ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}

/** Answers the requests that have started, then exits. Slow callers are disconnected; no state is ever half written. */
function closeOnSignal(server: Server, lock: { release(): void }): void {
  let isClosing = false
  const close = () => {
    if (isClosing) return
    isClosing = true
    setTimeout(() => server.closeAllConnections(), SHUTDOWN_MS).unref()
    server.close(() => {
      lock.release()
      process.exit(0)
    })
    server.closeIdleConnections()
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
}

function witnessScreen(
  { data_dir, logs }: WitnessSettings,
  address: string,
  key: NoteKey,
  state: WitnessState,
): string {
  const dim = (text: string) => styleText('dim', text)
  const watched = logs.map((log) => {
    const size = state.last(log.name)?.checkpoint.size
    return `  ${dim('log')}       ${vkeyOf(log)} (${size === undefined ? 'not seen yet' : `size ${size}`})\n`
  })
  return `
  ${styleText('bold', 'Deputy witness')} ${VERSION}

  ${dim('address')}   ${address}
  ${dim('key')}       ${vkeyOf(key)}
  ${dim('data')}      ${data_dir}
${watched.join('')}  ${dim('access')}    anyone may submit checkpoints; only those signed by these logs are cosigned

`
}

/** Why the witness cannot start, and the exit code. */
function startProblems(
  error: unknown,
  { host, port }: WitnessOptions,
): [problems: readonly string[], exit_code: number] {
  if (error instanceof StartError) return [error.problems, EXIT.config]
  if (error instanceof DirectoryInUse || error instanceof KeyFileError) return [[error.message], EXIT.config]
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return [
      [`Port ${port} on ${host} is in use. Stop the other program, or choose another port with --port.`],
      EXIT.config,
    ]
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return [[`--host ${host} is not an address of this machine.`], EXIT.config]
  if (code === 'EACCES' || code === 'EROFS')
    return [[`${errorText(error)}. Choose a writable directory with --data.`], EXIT.config]
  return [[errorText(error)], EXIT.failed]
}
