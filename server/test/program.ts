import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

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
  command: readonly string[] = [process.execPath, MAIN],
): Promise<Program> {
  const [executable, ...args] = command
  if (executable === undefined) throw new Error('nothing to start')
  const child = spawn(executable, args, {
    env: { PATH: process.env.PATH, PORT: '0', DEPUTY_DATA_DIR: data_dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const exited = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = /address\S*\s+(http:\/\/\S+)/.exec(output)
      if (match?.[1] !== undefined) resolve(match[1])
    })
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}:\n${output}`)))
  })
  return {
    process: child,
    url,
    output: () => output,
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
