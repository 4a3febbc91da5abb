import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { CallAuthorizer, CallDecision, CallTransport } from './call-authorizer.ts'
import { CARRIAGE_RETURN } from './events.ts'
import { streamLines } from './lines.ts'
import {
  errorMessage,
  INVALID_REQUEST,
  type MessageId,
  PARSE_ERROR,
  progressMessage,
  readClientMessage,
  readServerResponse,
  resultMessage,
  type ToolCall,
  withTrace,
} from './messages.ts'
import { openCalls } from './open-calls.ts'
import { shownTools } from './shown-tools.ts'
import { writeTo } from './write.ts'

export interface StdioGuardOptions {
  /** The program of the server and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** The environment of the server, without credentials for the service. */
  readonly env: NodeJS.ProcessEnv
  readonly authorizer: CallAuthorizer
  readonly hide_denied: boolean
  readonly say: (text: string) => void
  /** The streams of the client. */
  readonly input: Readable
  readonly output: Writable
}

/** How the server ended: with an exit code or by a signal. */
export interface ServerExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

type ServerProcess = ChildProcessByStdio<Writable, Readable, null>

const STDIO: CallTransport = { transport: 'pipe', session: undefined }
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Starts the server and guards it until it exits. */
export async function guardStdio(options: StdioGuardOptions): Promise<ServerExit> {
  const server = await startServer(options)
  const closed = once(server, 'close') // it has exited and its output is complete
  const guard = stdioGuard(options, server)
  const forward = (signal: NodeJS.Signals) => server.kill(signal)
  for (const signal of SIGNALS) process.on(signal, forward)
  options.output.on('error', () => server.kill()) // the client closed its end
  server.stdin.on('error', () => undefined) // it exited during a write, which is handled below
  guard.fromClient().catch(() => server.stdin.end()) // the connection to the client broke
  await guard.fromServer()
  await closed
  await guard.end()
  await flushed(options.output)
  for (const signal of SIGNALS) process.off(signal, forward)
  return { code: server.exitCode, signal: server.signalCode }
}

/** Waits until the output has reached the client: exiting would discard it. */
async function flushed(output: Writable): Promise<void> {
  if (!output.writable) return
  await new Promise<void>((resolve) => output.write('', () => resolve()))
}

async function startServer({ command: [name, ...args], env }: StdioGuardOptions): Promise<ServerProcess> {
  const server = spawn(name, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  await once(server, 'spawn')
  return server
}

function stdioGuard(
  { authorizer, hide_denied, say, input, output }: StdioGuardOptions,
  server: ServerProcess,
) {
  const calls = openCalls()
  const lists = new Set<MessageId>()
  const asking = new Set<Promise<void>>()
  const toClient = (text: string) => writeTo(output, `${text}\n`)

  async function fromClient(): Promise<void> {
    for await (const line of streamLines(input)) await clientLine(line)
    // The client is gone, so calls that wait for an approval are aborted.
    for (const id of waiting) calls.find(id)?.stop.abort()
    await Promise.allSettled(asking)
    server.stdin.end()
  }

  const waiting = new Set<MessageId>()

  async function clientLine(line: Buffer): Promise<void> {
    const text = withoutLineEnd(line)
    if (text.length === 0) return
    // Some servers treat a lone carriage return as a line end and would read several messages.
    if (text.includes(CARRIAGE_RETURN))
      return toClient(errorMessage(null, PARSE_ERROR, 'A message must be a single line.'))
    const message = readClientMessage(text)
    if (message.kind === 'refused') return toClient(errorMessage(message.id, message.code, message.message))
    if (message.kind === 'call') return begin(message.call, line)
    if (message.kind === 'cancel') cancel(message.id)
    if (message.kind === 'list' && hide_denied) lists.add(message.id)
    await writeTo(server.stdin, line)
  }

  /** Does not wait for the decision, so that other messages are not delayed. */
  async function begin(call: ToolCall, line: Buffer): Promise<void> {
    const { id } = call
    const open = calls.open(id)
    if (open === undefined)
      return toClient(errorMessage(id, INVALID_REQUEST, 'A call with this id is still open.'))
    const work = authorizer
      .authorize(call, STDIO, open.stop.signal, progressOf(call))
      .then((decision) => settled(call, line, decision))
    asking.add(work)
    work.finally(() => asking.delete(work))
  }

  async function settled({ id }: ToolCall, line: Buffer, decision: CallDecision): Promise<void> {
    waiting.delete(id)
    const open = calls.find(id)
    if (decision.kind === 'denied') {
      calls.close(id)
      return toClient(resultMessage(id, decision.result))
    }
    if (decision.kind === 'cancelled') {
      calls.close(id)
      return
    }
    const { allowed } = decision
    if (open === undefined) return authorizer.cancel(allowed) // the server has exited in the meantime
    open.allowed = allowed
    open.is_with_server = true
    await writeTo(server.stdin, allowed.trace === undefined ? line : `${withTrace(line, allowed.trace)}\n`)
  }

  function progressOf({ id, progress_token }: ToolCall): (text: string) => void {
    let count = 0
    return (text) => {
      waiting.add(id)
      if (progress_token === undefined) return
      count += 1
      // Progress must increase, and the server starts counting later.
      void toClient(progressMessage(progress_token, count / 1_000_000, text))
    }
  }

  /** The notification is passed on to the server, which may still respond. */
  function cancel(id: MessageId): void {
    const open = calls.find(id)
    if (open === undefined) return
    open.stop.abort()
    if (!open.is_with_server) return // the pending decision sees the aborted signal
    calls.close(id)
    void authorizer.giveUp(open.allowed)
  }

  async function fromServer(): Promise<void> {
    for await (const line of streamLines(server.stdout)) await serverLine(line)
  }

  async function serverLine(line: Buffer): Promise<void> {
    if (!isMessage(line)) return printStray(line)
    // Messages are parsed only while the guard waits for a response.
    const answer =
      calls.size === 0 && lists.size === 0 ? undefined : readServerResponse(line.toString('utf8'))
    if (answer === undefined) return writeTo(output, line)
    if (lists.delete(answer.id)) {
      const shown = await shownTools(answer, authorizer, say)
      return shown === undefined ? writeTo(output, line) : toClient(shown)
    }
    const open = calls.find(answer.id)
    if (open === undefined || !open.is_with_server) return writeTo(output, line)
    calls.close(answer.id)
    const work = authorizer.end(open.allowed, answer).then(() => writeTo(output, line))
    asking.add(work)
    work.finally(() => asking.delete(work))
  }

  function printStray(line: Buffer): void {
    if (withoutLineEnd(line).length > 0) process.stderr.write(line)
  }

  /** The server has exited: calls without a response have failed. */
  async function end(): Promise<void> {
    const left = calls.closeAll()
    for (const { stop } of left) stop.abort()
    await Promise.allSettled([...asking])
    await Promise.all(
      left
        .filter((call) => call.is_with_server)
        .map(({ allowed }) => authorizer.end(allowed, { error: 'The server exited.' })),
    )
    await authorizer.settle()
  }

  return { fromClient, fromServer, end }
}

const OPENING_BYTES = [0x7b, 0x5b] // { and [

function isMessage(line: Buffer): boolean {
  return OPENING_BYTES.includes(line.find((byte) => byte > 0x20) ?? 0)
}

function withoutLineEnd(line: Buffer): Buffer {
  let end = line.length
  while (end > 0 && (line[end - 1] === 0x0a || line[end - 1] === CARRIAGE_RETURN)) end -= 1
  return line.subarray(0, end)
}
