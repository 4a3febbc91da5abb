import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scope } from './scope.ts'

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))
const COMMAND: readonly string[] = [process.execPath, MAIN]

/** The service as a user starts it: its own process, its own socket, its own files. */
export interface Program {
  readonly process: ChildProcess
  readonly url: string
  readonly output: () => string
  /** Ends it the way an operating system does on shutdown, and answers the exit code. */
  stop(): Promise<number | null>
  /** Ends it at once, without a chance to tidy up. */
  kill(): Promise<void>
}

/** Starts the program on a free port. Rejects with what it printed when it does not come up. */
export async function startProgram(
  data_dir: string,
  env: Record<string, string> = {},
  command: readonly string[] = COMMAND,
): Promise<Program> {
  const { child, output } = launch(data_dir, env, command)
  const exited = once(child, 'close') // and everything that it printed has arrived
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = /address\S*\s+(http:\/\/\S+)/.exec(output())
      if (match?.[1] !== undefined) resolve(match[1])
    })
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}:\n${output()}`)))
  })
  return {
    process: child,
    url,
    output,
    async stop() {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** As `startProgram`, and whatever becomes of the test, the program does not outlive it. */
export async function aProgram(
  scope: Scope,
  data_dir: string,
  env: Record<string, string> = {},
  command: readonly string[] = COMMAND,
): Promise<Program> {
  const program = await startProgram(data_dir, env, command)
  scope.after(() => program.kill())
  return program
}

export interface Ending {
  readonly code: number | null
  readonly output: string
}

/** Starts the program where it must refuse to, and answers how it ended. */
export async function refusedStart(data_dir: string, env: Record<string, string> = {}): Promise<Ending> {
  const { child, output } = launch(data_dir, env, COMMAND)
  child.stdout?.on('data', () => {
    if (/address\S*\s+http:/.test(output())) child.kill('SIGKILL') // it came up: the caller sees no exit code
  })
  await once(child, 'close')
  return { code: child.exitCode, output: output() }
}

/** Starts the program and kills it after a while, wherever in its start it is by then. */
export async function interruptedStart(data_dir: string, after_ms: number): Promise<void> {
  const { child } = launch(data_dir, {}, COMMAND)
  const exited = once(child, 'exit')
  setTimeout(() => child.kill('SIGKILL'), after_ms)
  await exited
}

function launch(data_dir: string, env: Record<string, string>, [executable, ...args]: readonly string[]) {
  if (executable === undefined) throw new Error('nothing to start')
  const child = spawn(executable, args, {
    env: { PATH: process.env.PATH, PORT: '0', DEPUTY_DATA_DIR: data_dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  return { child, output: () => output }
}
