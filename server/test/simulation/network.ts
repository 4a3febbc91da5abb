import type { SeededDraw } from '@deputize/testing/seeded-draw.ts'
import { Client } from 'pg'
import type { Row } from '../../src/store/values.ts'

/** A request of a node to the database. */
interface Request {
  /** Sends the request to the database. */
  ask(): Promise<unknown>
  resolve(answer: unknown): void
  reject(error: Error): void
  /** Undefined until the database has answered. */
  answer: { readonly value: unknown } | { readonly error: Error } | undefined
  readonly answered: PromiseWithResolvers<void>
  /** Whether its wait for a lock is limited. A step ends such a wait. */
  readonly isImpatient: boolean
  state: 'waits' | 'runs' | 'answered'
}

/** A connection between a node and the database. */
interface Line {
  readonly client: Client
  readonly node: string
  /** Which of the node's processes it belongs to. */
  readonly life: number
  /** In order, one at a time. */
  readonly requests: Request[]
  /** Whether the node has lost the connection. The database may still have it. */
  isLost: boolean
  /** Whether the node knows that it is connected. */
  isOpen: boolean
}

/** What may happen to a request. */
type Fate = 'arrives' | 'lost' | 'unanswered' | 'overdue'
const FATES: readonly Fate[] = [...Array<Fate>(37).fill('arrives'), 'lost', 'unanswered', 'overdue']

/** A node and the number of its process. */
const NODE = /^deputy writer (sim-\d+-\w+)-(\d+) s\d+$/
/** The driver's methods, in the forms that the service uses. */
const { connect, query, end } = Client.prototype as unknown as {
  connect(this: Client): Promise<unknown>
  query(this: Client, text: unknown, values?: unknown[]): Promise<{ readonly rows: Row[] }>
  end(this: Client): Promise<void>
}

/**
 * The network between simulated nodes and a real PostgreSQL. Every request of a node waits for a step, and so does its
 * answer. Steps are taken one at a time, chosen at random. A request may be lost, its answer may be lost, or the node
 * may lose the connection while the request is still in transit and arrives later. The database notices a lost
 * connection in a separate step.
 *
 * A request that waits for a lock in the database stays there while other requests take steps. The database reports
 * whether it waits, so the speed of the machine doesn't matter.
 */
export class Network {
  readonly #lines = new Set<Line>()
  readonly #pauses: (() => void)[] = []
  readonly #control: Client
  readonly #draw: () => SeededDraw
  isCalm = true
  faults = 0

  /** `control` is a separate connection for the simulation. */
  constructor(control: Client, draw: () => SeededDraw) {
    this.#control = control
    this.#draw = draw
    this.#install()
  }

  /** Returns all connections of nodes to the driver. */
  uninstall(): void {
    Object.assign(Client.prototype, { connect, query, end })
  }

  /** Resolves in a separate step. */
  pause(): Promise<void> {
    return new Promise((resolve) => this.#pauses.push(resolve))
  }

  /** Drops the connections that a node's processes before `life` had. Their requests may still arrive. */
  cutOff(node: string, life: number): void {
    for (const line of this.#lines)
      if (line.node === node && line.life < life) this.#lose(line, this.#draw().chance(0.5))
  }

  /** Takes steps until `story` ends. */
  async run<T>(story: Promise<T>, afterStep: () => void): Promise<T> {
    let hasEnded = false
    const ended = story.finally(() => {
      hasEnded = true
    })
    ended.catch(() => {}) // it is awaited below
    for (;;) {
      await this.#quiet()
      if (hasEnded) return ended
      const steps = this.#steps()
      const timeouts = this.#timeouts()
      if (timeouts.length > 0 && (steps.length === 0 || this.#draw().chance(0.05)))
        await this.#draw().pick(timeouts)()
      else if (steps.length > 0) await this.#draw().pick(steps)()
      else await this.#someAnswer()
      afterStep()
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    for (const line of this.#lines) this.#lose(line, false)
    for (const line of [...this.#lines]) await this.#notice(line)
  }

  #steps(): (() => Promise<void> | void)[] {
    const steps: (() => Promise<void> | void)[] = this.#pauses.map((resume) => () => {
      this.#pauses.splice(this.#pauses.indexOf(resume), 1)
      resume()
    })
    for (const line of this.#lines) {
      const [request] = line.requests
      if (request?.state === 'waits') steps.push(() => this.#send(line, request))
      else if (request?.state === 'answered') steps.push(() => this.#answer(line, request))
      else if (request === undefined && line.isLost) steps.push(() => this.#notice(line))
    }
    return steps
  }

  /** Returns steps that end the limited waits for locks. */
  #timeouts(): (() => Promise<void>)[] {
    return [...this.#lines].flatMap((line) => {
      const [request] = line.requests
      return request?.state === 'runs' && request.isImpatient ? [() => this.#timeOut(line, request)] : []
    })
  }

  /** Ends a wait as the database would after the time limit of the request. */
  async #timeOut(line: Line, request: Request): Promise<void> {
    await query.call(this.#control, 'SELECT pg_cancel_backend($1)', [processOf(line)])
    await request.answered.promise
    if (request.answer !== undefined && 'error' in request.answer)
      Object.assign(request.answer.error, { code: LOCK_NOT_AVAILABLE })
    request.state = 'answered'
  }

  async #send(line: Line, request: Request): Promise<void> {
    const fate = this.isCalm || line.isLost ? 'arrives' : this.#draw().pick(FATES)
    if (fate !== 'arrives') this.faults += 1
    if (fate === 'lost' || fate === 'overdue') return this.#lose(line, fate === 'overdue')
    request.state = 'runs'
    const keep = (answer: Request['answer']) => {
      request.answer = answer
      request.answered.resolve()
    }
    request.ask().then(
      (value) => keep({ value }),
      (error: Error) => keep({ error }),
    )
    await this.#answeredOrWaiting(line, request)
    if (fate === 'unanswered') this.#lose(line, true)
  }

  #answer(line: Line, request: Request): void {
    line.requests.shift()
    if (request.answer === undefined || line.isLost) return
    if ('error' in request.answer) request.reject(request.answer.error)
    else {
      line.isOpen = true // the first answer is that it is connected
      request.resolve(request.answer.value)
    }
    // The database may end a connection in the same packet as its answer, before the node does anything else.
    if (!this.isCalm && this.#draw().chance(0.01)) this.#lose(line, false)
  }

  /** Lets the node lose a connection, and reports that as the driver would. */
  #lose(line: Line, arrives: boolean): void {
    if (line.isLost) return
    line.isLost = true
    const lost = new Error('Connection terminated unexpectedly')
    for (const { reject } of line.requests) reject(lost)
    // Only the request already sent can arrive: the node waits for its answer before it sends another.
    line.requests.splice(arrives || line.requests[0]?.state === 'runs' ? 1 : 0)
    if (line.isOpen) line.client.emit('error', lost)
  }

  /** Lets the database end what a lost connection has started. */
  async #notice(line: Line): Promise<void> {
    this.#lines.delete(line)
    const ended = [processOf(line)]
    await query.call(this.#control, 'SELECT pg_terminate_backend($1)', ended)
    const isThere = 'SELECT 1 FROM pg_stat_activity WHERE pid = $1'
    while ((await query.call(this.#control, isThere, ended)).rows.length > 0) await turns(1)
    void end.call(line.client) // the database has ended it
  }

  /**
   * Waits until everything has run that only waits for its turn, and until requests either have an answer or wait for a
   * lock.
   */
  async #quiet(): Promise<void> {
    await turns(QUIET_TURNS)
    for (const line of this.#lines) {
      const [request] = line.requests
      if (request?.state === 'runs') await this.#answeredOrWaiting(line, request)
    }
  }

  async #answeredOrWaiting(line: Line, request: Request): Promise<void> {
    for (;;) {
      await Promise.race([request.answered.promise, patience()])
      const isWaiting = request.answer === undefined && (await this.#isWaiting(line))
      if (request.answer !== undefined) {
        request.state = 'answered'
        return
      }
      if (isWaiting) return
    }
  }

  async #isWaiting(line: Line): Promise<boolean> {
    const { rows } = await query.call(
      this.#control,
      'SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits',
      [processOf(line)],
    )
    return rows[0]?.waits === true
  }

  /** Called when everything waits for locks, so that only the database can continue, by its own time limits. */
  async #someAnswer(): Promise<void> {
    const isAny = [...this.#lines].some(({ requests: [request] }) => request?.state === 'runs')
    if (!isAny) throw new Error('the story cannot go on')
    await turns(1)
  }

  #enqueue(line: Line, askDatabase: () => Promise<unknown>, isImpatient = false): Promise<unknown> {
    if (line.isLost)
      return Promise.reject(new Error('Client has encountered a connection error and is not queryable'))
    return new Promise((resolve, reject) => {
      line.requests.push({
        ask: askDatabase,
        resolve,
        reject,
        answer: undefined,
        answered: Promise.withResolvers(),
        isImpatient,
        state: 'waits',
      })
    })
  }

  #install(): void {
    const lines = new Map<Client, Line>()
    const lineOf = (client: Client) => lines.get(client)
    const enqueue = this.#enqueue.bind(this)
    const add = (client: Client, node: string, life: number): Line => {
      const line: Line = { client, node, life, requests: [], isLost: false, isOpen: false }
      lines.set(client, line)
      this.#lines.add(line)
      return line
    }
    const lose = this.#lose.bind(this)
    Object.assign(Client.prototype, {
      connect(this: Client) {
        const { connectionParameters } = this as Client & {
          readonly connectionParameters: { readonly application_name?: string }
        } // set by the driver
        const [, node, life] = NODE.exec(connectionParameters.application_name ?? '') ?? []
        if (node === undefined) return connect.call(this)
        return enqueue(add(this, node, Number(life)), () => connect.call(this))
      },
      query(this: Client, text: unknown, values?: unknown[]) {
        const line = lineOf(this)
        if (line === undefined) return query.call(this, text, values)
        const patient = typeof text === 'string' ? text.replace(LOCK_TIMEOUT, '60000') : text
        return enqueue(line, () => query.call(this, patient, values), patient !== text)
      },
      end(this: Client) {
        const line = lineOf(this)
        if (line === undefined) return end.call(this)
        lose(line, false)
        return Promise.resolve()
      },
    })
  }
}

/** The database process that serves a connection, or 0 before it is connected. */
function processOf({ client }: Line): number {
  const { processID } = client as Client & { readonly processID: number | null } // set by the driver
  return processID ?? 0
}

/** Matches how long a request waits for a lock, in the machine's time. In the simulation, a step ends the wait. */
const LOCK_TIMEOUT = /(?<=SET LOCAL lock_timeout = )\d+/
const LOCK_NOT_AVAILABLE = '55P03'

/** More than the clerk and its callers need from an answer to the next request. */
const QUIET_TURNS = 6
/** Most answers take less than this, so that no query has to find out whether the request waits. */
const PATIENCE_MS = 3
/** The machine's timers. The nodes have mocked ones. */
const realTimeout = globalThis.setTimeout

function patience(): Promise<void> {
  return new Promise((resolve) => void realTimeout(resolve, PATIENCE_MS))
}

function turns(count: number): Promise<void> {
  return new Promise((resolve) => {
    const next = (left: number) => (left === 0 ? resolve() : setImmediate(next, left - 1))
    next(count)
  })
}
