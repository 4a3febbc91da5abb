import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { CLI, COMPILE_CACHE } from './programs.ts'
import type { TestScope } from './scope.ts'

const COMMAND: readonly string[] = [process.execPath, CLI, 'start']

/** The service as a user starts it: its own process, its own socket, its own files. */
export interface Program {
  readonly process: ChildProcess
  readonly url: string
  readonly output: () => string
  /** Sends SIGTERM, as an operating system does on shutdown, and returns the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

/** Starts the program on a free port. Rejects with its output if it does not start. */
export async function startProgram(
  data_dir: string,
  env: Record<string, string> = {},
  command: readonly string[] = COMMAND,
): Promise<Program> {
  const { child, output } = launch(data_dir, env, command)
  const exited = once(child, 'close') // by then, everything that it printed has arrived
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = addressIn(output())
      if (address !== undefined) resolve(address)
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

/** The address where a program listens, once it has printed that. Its public URL may differ. */
function addressIn(output: string): string | undefined {
  const [, shown, own] = /address\S*\s+(\S+)(?: \(listens on (\S+)\))?\n/.exec(output) ?? []
  return own ?? shown
}

/** No call is refused because of load: a test must pass on a slow machine. */
const PATIENT = { DEPUTY_MAX_WAIT_MS: '0' }

/** Like `startProgram`, but kills the program when the scope ends. */
export async function aProgram(
  scope: TestScope,
  data_dir: string,
  env: Record<string, string> = {},
  command: readonly string[] = COMMAND,
): Promise<Program> {
  const program = await startProgram(data_dir, { ...PATIENT, ...env }, command)
  scope.after(() => program.kill())
  return program
}

export interface Ending {
  readonly code: number | null
  readonly output: string
}

/** Starts the program, which must refuse to start, and returns its exit code and output. */
export async function refusedStart(data_dir: string, env: Record<string, string> = {}): Promise<Ending> {
  const { child, output } = launch(data_dir, env, COMMAND)
  child.stdout?.on('data', () => {
    if (addressIn(output()) !== undefined) child.kill('SIGKILL') // it started, and the caller sees no exit code
  })
  await once(child, 'close')
  return { code: child.exitCode, output: output() }
}

/** Starts the program and kills it after `after_ms`, at any point of its start-up. */
export async function interruptedStart(data_dir: string, after_ms: number): Promise<void> {
  const { child } = launch(data_dir, {}, COMMAND)
  const exited = once(child, 'exit')
  setTimeout(() => child.kill('SIGKILL'), after_ms)
  await exited
}

/** HTTP_THREADS=2 has every program of a test run listen with two threads. */
const FRONTS = process.env.HTTP_THREADS === undefined ? {} : { DEPUTY_HTTP_THREADS: process.env.HTTP_THREADS }

function launch(data_dir: string, env: Record<string, string>, [executable, ...args]: readonly string[]) {
  if (executable === undefined) throw new Error('the command is empty')
  const child = spawn(executable, args, {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DEPUTY_DATA_DIR: data_dir,
      ...COMPILE_CACHE,
      ...FRONTS,
      ...env,
    },
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
