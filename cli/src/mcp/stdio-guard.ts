import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { CallAuthorizer, CallDecision, CallTransport } from './call-authorizer.ts'
import { CARRIAGE_RETURN } from './events.ts'
import { streamLines } from './lines.ts'
import {
  errorMessage,
  ID_IN_USE,
  INVALID_REQUEST,
  type McpToolCall,
  type MessageId,
  PARSE_ERROR,
  progressMessage,
  readClientMessage,
  readServerResponse,
  resultMessage,
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
  /** Methods that pass in addition to those of the protocol. */
  readonly methods: readonly string[]
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
  const relay = new StdioRelay(options, server)
  const forward = (signal: NodeJS.Signals) => server.kill(signal)
  for (const signal of SIGNALS) process.on(signal, forward)
  options.output.on('error', () => server.kill()) // the client closed its end
  server.stdin.on('error', () => undefined) // it exited during a write, which is handled below
  relay.fromClient().catch(() => server.stdin.end()) // the connection to the client broke
  await relay.fromServer()
  await closed
  await relay.end()
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

/** The messages between the client and the server, and the calls that are open. */
class StdioRelay {
  readonly #options: StdioGuardOptions
  readonly #server: ServerProcess
  readonly #calls = openCalls()
  /** Other requests, and cancelled calls, that the server may still answer: a call with such an id would get their answer. */
  readonly #asked = new Set<MessageId>()
  /** The tools/list requests whose responses are filtered. */
  readonly #lists = new Set<MessageId>()
  /** Decisions and completions that are under way. */
  readonly #work = new Set<Promise<void>>()
  /** The calls that wait for an approval. */
  readonly #waiting = new Set<MessageId>()

  constructor(options: StdioGuardOptions, server: ServerProcess) {
    this.#options = options
    this.#server = server
  }

  /** Passes messages of the client on, until it closes its end. */
  async fromClient(): Promise<void> {
    for await (const line of streamLines(this.#options.input)) await this.#clientLine(line)
    // The client is gone, so calls that wait for an approval are aborted.
    for (const id of this.#waiting) this.#calls.find(id)?.stop.abort()
    await Promise.allSettled(this.#work)
    this.#server.stdin.end()
  }

  /** Passes messages of the server on, until it closes its end. */
  async fromServer(): Promise<void> {
    for await (const line of streamLines(this.#server.stdout)) await this.#serverLine(line)
  }

  /** The server has exited: calls without a response have failed. */
  async end(): Promise<void> {
    const { authorizer } = this.#options
    const left = this.#calls.closeAll()
    for (const { stop } of left) stop.abort()
    await Promise.allSettled([...this.#work])
    await Promise.all(
      left
        .filter((call) => call.is_with_server)
        .map(({ allowed }) => authorizer.end(allowed, { error: 'The server exited.' })),
    )
    await authorizer.settle()
  }

  #toClient(text: string): Promise<void> {
    return writeTo(this.#options.output, `${text}\n`)
  }

  #track(work: Promise<void>): void {
    this.#work.add(work)
    work.finally(() => this.#work.delete(work))
  }

  async #clientLine(line: Buffer): Promise<void> {
    const text = withoutLineEnd(line)
    if (text.length === 0) return
    // Some servers treat a lone carriage return as a line end and would read several messages.
    if (text.includes(CARRIAGE_RETURN))
      return this.#toClient(errorMessage(null, PARSE_ERROR, 'A message must be a single line.'))
    const message = readClientMessage(text, this.#options.methods)
    if (message.kind === 'refused')
      return this.#toClient(errorMessage(message.id, message.code, message.message))
    if (message.kind === 'call') return this.#begin(message.call, line)
    if (message.kind === 'cancel') this.#cancel(message.id)
    else if (message.id !== null) {
      if (this.#isInUse(message.id)) return this.#refuseId(message.id)
      this.#asked.add(message.id)
    }
    if (message.kind === 'list' && this.#options.hide_denied) this.#lists.add(message.id)
    await writeTo(this.#server.stdin, line)
  }

  /** Does not wait for the decision, so that other messages are not delayed. */
  async #begin(call: McpToolCall, line: Buffer): Promise<void> {
    const { id } = call
    const open = this.#isInUse(id) ? undefined : this.#calls.open(id)
    if (open === undefined) return this.#refuseId(id)
    const work = this.#options.authorizer
      .authorize(call, STDIO, open.stop.signal, this.#progressSender(call))
      .then((decision) => this.#settle(call, line, decision))
    this.#track(work)
  }

  #isInUse(id: MessageId): boolean {
    return this.#asked.has(id) || this.#calls.find(id) !== undefined
  }

  #refuseId(id: MessageId): Promise<void> {
    return this.#toClient(errorMessage(id, INVALID_REQUEST, ID_IN_USE))
  }

  async #settle({ id }: McpToolCall, line: Buffer, decision: CallDecision): Promise<void> {
    this.#waiting.delete(id)
    const open = this.#calls.find(id)
    if (decision.kind !== 'allowed') this.#calls.close(id)
    if (decision.kind === 'denied') return this.#toClient(resultMessage(id, decision.result))
    if (decision.kind === 'cancelled') return
    const { allowed } = decision
    if (open === undefined) return this.#options.authorizer.cancel(allowed) // the server has exited in the meantime
    open.allowed = allowed
    open.is_with_server = true
    const { trace } = allowed
    await writeTo(this.#server.stdin, trace === undefined ? line : `${withTrace(line, trace)}\n`)
  }

  #progressSender({ id, progress_token }: McpToolCall): (text: string) => void {
    let count = 0
    return (text) => {
      this.#waiting.add(id)
      if (progress_token === undefined) return
      count += 1
      // Progress must increase, and the server starts counting later.
      void this.#toClient(progressMessage(progress_token, count / 1_000_000, text))
    }
  }

  /** The notification is passed on to the server, which may still respond. */
  #cancel(id: MessageId): void {
    const open = this.#calls.find(id)
    if (open === undefined) return
    open.stop.abort()
    if (!open.is_with_server) return // the pending decision sees the aborted signal
    this.#calls.close(id)
    this.#asked.add(id)
    void this.#options.authorizer.giveUp(open.allowed)
  }

  async #serverLine(line: Buffer): Promise<void> {
    const { authorizer, output, say } = this.#options
    if (!isMessage(line)) return printStray(line)
    // Messages are parsed only while the guard waits for a response.
    const isExpecting = this.#calls.size > 0 || this.#asked.size > 0
    const answer = isExpecting ? readServerResponse(line.toString('utf8')) : undefined
    if (answer === undefined) return writeTo(output, line)
    this.#asked.delete(answer.id)
    if (this.#lists.delete(answer.id)) {
      const shown = await shownTools(answer, authorizer, say)
      return shown === undefined ? writeTo(output, line) : this.#toClient(shown)
    }
    const open = this.#calls.find(answer.id)
    if (open === undefined || !open.is_with_server) return writeTo(output, line)
    this.#calls.close(answer.id)
    this.#track(authorizer.end(open.allowed, answer).then(() => writeTo(output, line)))
  }
}

/** Output of the server that is not a message goes to standard error. */
function printStray(line: Buffer): void {
  if (withoutLineEnd(line).length > 0) process.stderr.write(line)
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
