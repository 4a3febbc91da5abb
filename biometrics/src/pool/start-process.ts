import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OperatorNet, UploadedStep } from '../contract.ts'
import type { FromProcess, ToProcess } from './protocol.ts'

/** All of its imports are in its folder or below. */
const ENTRY = fileURLToPath(new URL('../judging-process.ts', import.meta.url))
const SHELL = '/bin/sh'
const HEAP_MB = 256
/** A third of the service's share when both want one core: slower, but never starved. */
const NICENESS = 5
const START_LIMIT_MS = 120_000
const WATCH_MS = 500

export type StepAnswer = Exclude<Extract<FromProcess, { readonly id: number }>, { readonly bug: string }>

/** Why a process ended while it was needed. */
export interface ProcessEnd {
  readonly why: 'crashed' | 'overdue' | 'grown' | 'closed'
  /** The place of a bug, or how the process ended. Never anything from the media. */
  readonly detail: string
}

/** A judging process, from its start to its end. */
export class JudgingProcess {
  readonly #child: ChildProcess
  readonly #memoryLimit: number
  readonly #watch: NodeJS.Timeout
  #answer: ((answer: StepAnswer | ProcessEnd) => void) | undefined
  #end: ProcessEnd | undefined
  #ids = 0

  constructor(packDirectory: string, memoryLimit: number) {
    this.#memoryLimit = memoryLimit
    this.#child = launch(packDirectory)
    this.#child.once('exit', (code, signal) => this.#ended(`ended with ${signal ?? `code ${code}`}`))
    this.#child.once('error', (error) => this.#ended(error.message))
    this.#watch = setInterval(() => this.#checkMemory(), WATCH_MS).unref()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Resolves when the nets are loaded. Rejects with the reason if they cannot be. */
  async open(packDirectory: string, operatorNets: readonly OperatorNet[]): Promise<void> {
    const limit = setTimeout(() => this.kill('overdue'), START_LIMIT_MS)
    try {
      await new Promise<void>((resolve, reject) => {
        this.#child.once('message', (message: FromProcess) =>
          'not_opened' in message ? reject(new Error(message.not_opened)) : resolve(),
        )
        this.#child.once('exit', () => reject(new Error(this.#end?.detail ?? 'ended')))
        this.#child.once('error', reject)
        this.#send({ open: { pack_directory: packDirectory, operator_nets: operatorNets } })
      })
    } finally {
      clearTimeout(limit)
    }
    this.#child.on('message', (message: FromProcess) => this.#receive(message))
  }

  /** Judges a step, one at a time. Resolves with the end of the process if it ends first. */
  async run(request: UploadedStep): Promise<StepAnswer | ProcessEnd> {
    if (this.#end !== undefined) return this.#end
    this.#ids += 1
    const answered = new Promise<StepAnswer | ProcessEnd>((resolve) => {
      this.#answer = resolve
    })
    this.#send({ id: this.#ids, request })
    const answer = await answered
    this.#answer = undefined
    return answer
  }

  kill(why: ProcessEnd['why']): void {
    this.#end ??= { why, detail: why }
    this.#child.kill('SIGKILL')
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.kill('closed')
    await exited
  }

  #send(message: ToProcess): void {
    // A process that has just ended can't be written to; its `exit` event answers instead.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #receive(message: FromProcess): void {
    if (!('id' in message) || message.id !== this.#ids) return
    if ('bug' in message) {
      this.#end ??= { why: 'crashed', detail: message.bug }
      return
    }
    if (message.memory_bytes > this.#memoryLimit) this.kill('grown')
    this.#answer?.(message)
  }

  #ended(detail: string): void {
    clearInterval(this.#watch)
    this.#end ??= { why: 'crashed', detail }
    this.#answer?.(this.#end)
  }

  /** Also runs during a step: ending a growing process must not wait for its answer. */
  #checkMemory(): void {
    const bytes = residentBytes(this.#child.pid)
    if (bytes !== undefined && bytes > this.#memoryLimit) this.kill('grown')
  }
}

/**
 * Starts Node with nothing to steal and nowhere to write: an empty environment, read access only to the code and the
 * pack, no child processes, threads or inspector. The shell forbids core dumps and files, which also binds native code.
 */
export function launch(packDirectory: string, entry = ENTRY): ChildProcess {
  const program = [process.execPath, ...nodeOptions([dirname(ENTRY), entry, packDirectory]), entry]
  const [command = '', ...args] = existsSync(SHELL)
    ? [SHELL, '-c', 'ulimit -c 0; ulimit -f 0; exec "$0" "$@"', ...program]
    : program
  const child = spawn(command, args, {
    env: neededEnvironment(),
    cwd: packDirectory,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  })
  lowerPriority(child.pid)
  return child
}

function nodeOptions(readable: readonly string[]): string[] {
  return [
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--disable-proto=delete',
    '--no-warnings',
    `--max-old-space-size=${HEAP_MB}`,
  ]
}

/** Returns an empty environment or, on Windows, only the system folder, without which programs don't start. */
function neededEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env
  return SystemRoot === undefined ? {} : { SystemRoot }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS)
  } catch {
    // It may already have ended, which the `exit` event reports.
  }
}

/** Returns the resident memory, on Linux only. Elsewhere, a process reports its memory with each answer. */
function residentBytes(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
