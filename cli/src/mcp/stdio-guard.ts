import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Arrival, Gate, Verdict } from './gate.ts'
import { lines } from './lines.ts'
import {
  errorMessage,
  type Id,
  INVALID_REQUEST,
  PARSE_ERROR,
  progressMessage,
  readAnswer,
  readClientMessage,
  resultMessage,
  type ToolCall,
  withTrace,
} from './messages.ts'
import { openCalls } from './open-calls.ts'
import { shownTools } from './shown-tools.ts'
import { write } from './write.ts'

export interface StdioGuardOptions {
  /** The server and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** What the server finds in its environment: nothing that opens the service. */
  readonly env: NodeJS.ProcessEnv
  readonly gate: Gate
  readonly hide_denied: boolean
  readonly say: (text: string) => void
  /** The client. */
  readonly input: Readable
  readonly output: Writable
}

/** How the server ended: by itself with a code, or by a signal. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

type Server = ChildProcessByStdio<Writable, Readable, null>

const ARRIVAL: Arrival = { transport: 'pipe', session: undefined }
const CARRIAGE_RETURN = 0x0d
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Stands between a client and the server that it starts, until the server has ended. */
export async function guardStdio(options: StdioGuardOptions): Promise<Ending> {
  const server = await started(options)
  const closed = once(server, 'close') // it has ended, and all that it said has arrived
  const guard = stdioGuard(options, server)
  const forward = (signal: NodeJS.Signals) => server.kill(signal)
  for (const signal of SIGNALS) process.on(signal, forward)
  options.output.on('error', () => server.kill()) // nobody listens any more
  server.stdin.on('error', () => undefined) // it ended while something was written; that it ended is told below
  guard.fromClient().catch(() => server.stdin.end()) // the line to the client broke
  await guard.fromServer()
  await closed
  await guard.end()
  await flushed(options.output)
  for (const signal of SIGNALS) process.off(signal, forward)
  return { code: server.exitCode, signal: server.signalCode }
}

/** What is still on its way to the client would be lost with this process. */
async function flushed(output: Writable): Promise<void> {
  if (!output.writable) return
  await new Promise<void>((resolve) => output.write('', () => resolve()))
}

async function started({ command: [name, ...args], env }: StdioGuardOptions): Promise<Server> {
  const server = spawn(name, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  await once(server, 'spawn')
  return server
}

function stdioGuard({ gate, hide_denied, say, input, output }: StdioGuardOptions, server: Server) {
  const calls = openCalls()
  const lists = new Set<Id>()
  const asking = new Set<Promise<void>>()
  const toClient = (text: string) => write(output, `${text}\n`)

  async function fromClient(): Promise<void> {
    for await (const line of lines(input)) await clientLine(line)
    // Whoever has gone waits for nobody's approval.
    for (const id of waiting) calls.find(id)?.stop.abort()
    await Promise.allSettled(asking)
    server.stdin.end()
  }

  const waiting = new Set<Id>()

  async function clientLine(line: Buffer): Promise<void> {
    const text = withoutLineEnd(line)
    if (text.length === 0) return
    // Some servers take a lone carriage return for the end of a line, and would find other messages in it.
    if (text.includes(CARRIAGE_RETURN))
      return toClient(errorMessage(null, PARSE_ERROR, 'A message must be one line.'))
    const message = readClientMessage(text)
    if (message.kind === 'refused') return toClient(errorMessage(message.id, message.code, message.message))
    if (message.kind === 'call') return begin(message.call, line)
    if (message.kind === 'cancel') cancel(message.id)
    if (message.kind === 'list' && hide_denied) lists.add(message.id)
    await write(server.stdin, line)
  }

  /** Others have their turn while this one is asked about. */
  async function begin(call: ToolCall, line: Buffer): Promise<void> {
    const { id } = call
    const open = calls.open(id)
    if (open === undefined)
      return toClient(errorMessage(id, INVALID_REQUEST, 'A call of this id is still open.'))
    const work = gate
      .ask(call, ARRIVAL, open.stop.signal, progressOf(call))
      .then((verdict) => settled(call, line, verdict))
    asking.add(work)
    work.finally(() => asking.delete(work))
  }

  async function settled({ id }: ToolCall, line: Buffer, verdict: Verdict): Promise<void> {
    waiting.delete(id)
    const open = calls.find(id)
    if (verdict.kind === 'denied') {
      calls.close(id)
      return toClient(resultMessage(id, verdict.result))
    }
    if (verdict.kind === 'cancelled') {
      calls.close(id)
      return
    }
    const { permit } = verdict
    if (open === undefined) return gate.cancel(permit) // the server has ended meanwhile
    open.permit = permit
    open.is_with_server = true
    await write(server.stdin, permit.trace === undefined ? line : `${withTrace(line, permit.trace)}\n`)
  }

  function progressOf({ id, progress_token }: ToolCall): (text: string) => void {
    let count = 0
    return (text) => {
      waiting.add(id)
      if (progress_token === undefined) return
      count += 1
      // Progress has to grow, and the server has not begun to count.
      void toClient(progressMessage(progress_token, count / 1_000_000, text))
    }
  }

  /** The server hears of it too, and may answer all the same. */
  function cancel(id: Id): void {
    const open = calls.find(id)
    if (open === undefined) return
    open.stop.abort()
    if (!open.is_with_server) return // whoever asks finds out that it is not wanted any more
    calls.close(id)
    void gate.giveUp(open.permit)
  }

  async function fromServer(): Promise<void> {
    for await (const line of lines(server.stdout)) await serverLine(line)
  }

  async function serverLine(line: Buffer): Promise<void> {
    if (!isMessage(line)) return tellStray(line)
    // What answers nothing that the guard waits for is passed on unread.
    const answer = calls.size === 0 && lists.size === 0 ? undefined : readAnswer(line.toString('utf8'))
    if (answer === undefined) return write(output, line)
    if (lists.delete(answer.id)) {
      const shown = await shownTools(answer, gate, say)
      return shown === undefined ? write(output, line) : toClient(shown)
    }
    const open = calls.find(answer.id)
    if (open === undefined || !open.is_with_server) return write(output, line)
    calls.close(answer.id)
    const work = gate.end(open.permit, answer).then(() => write(output, line))
    asking.add(work)
    work.finally(() => asking.delete(work))
  }

  function tellStray(line: Buffer): void {
    if (withoutLineEnd(line).length > 0) process.stderr.write(line)
  }

  /** The server has ended: what it had not answered has failed. */
  async function end(): Promise<void> {
    const left = calls.closeAll()
    for (const { stop } of left) stop.abort()
    await Promise.allSettled([...asking])
    await Promise.all(
      left
        .filter((call) => call.is_with_server)
        .map(({ permit }) => gate.end(permit, { error: 'The server ended.' })),
    )
    await gate.settle()
  }

  return { fromClient, fromServer, end }
}

const OPENING = [0x7b, 0x5b] // an object or an array

function isMessage(line: Buffer): boolean {
  return OPENING.includes(line.find((byte) => byte > 0x20) ?? 0)
}

function withoutLineEnd(line: Buffer): Buffer {
  let end = line.length
  while (end > 0 && (line[end - 1] === 0x0a || line[end - 1] === CARRIAGE_RETURN)) end -= 1
  return line.subarray(0, end)
}
