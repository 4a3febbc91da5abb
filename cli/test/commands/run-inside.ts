import { Writable } from 'node:stream'
import { deputyProgram } from '../../src/program.ts'
import type { Run } from './run-deputy.ts'

/** The command called `process.exit`. */
class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

let last: Promise<unknown> = Promise.resolve()

/** Runs a command in this process, one at a time: meanwhile, `process` has the command's streams and variables. */
export function runInside(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  const run = last.then(() => runAlone(args, env))
  last = run.catch(() => {}) // the caller gets the error
  return run
}

async function runAlone(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  const [stdout, stderr] = [aStream(), aStream()]
  let code: number | undefined
  const exit = (given?: number | string | null): never => {
    code ??= Number(given ?? process.exitCode ?? 0)
    throw new Exit(code)
  }
  const restore = replaced(process, { stdout: stdout.stream, stderr: stderr.stream, exit })
  const before = { env: { ...process.env }, exitCode: process.exitCode }
  setEnvironment(env)
  process.exitCode = undefined
  try {
    const program = await deputyProgram(args[0])
    await program.parseAsync(args, { from: 'user' })
    code ??= Number(process.exitCode ?? 0)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  } finally {
    process.exitCode = before.exitCode
    setEnvironment(before.env)
    restore()
  }
  return { status: code ?? null, stdout: stdout.text(), stderr: stderr.text() }
}

/** Changes the variables themselves: `homedir` doesn't see an object that replaces `process.env`. */
function setEnvironment(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** A stream that keeps what is written, and isn't a terminal. */
function aStream() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Replaces members of an object. Returns a function that restores them. */
function replaced(object: object, members: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(members).map(
    (name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const,
  )
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor !== undefined) Object.defineProperty(object, name, descriptor)
  }
}
