import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { quantileOf } from './quantile.ts'

/**
 * A load generator whose rate doesn't depend on the service: requests are due at fixed times, as from many independent
 * callers. Latency counts from when a request was due, so it shows if the service falls behind. Every connection has
 * been answered once before the first request is due: accepting thousands of connections takes a service longer than
 * many calls, and a connection is open for its client before the service has seen it.
 */
export interface OpenLoad {
  readonly url: string
  readonly requests_per_s: number
  readonly seconds: number
  /** Whole requests, sent in turn. */
  readonly requests: readonly string[]
  readonly connections: number
}

export interface OpenMeasurement {
  readonly due: number
  readonly accepted: number
  readonly refused: number
  /** Neither 200 nor 503, or a broken connection. */
  readonly other: number
  /** Due, but still not answered some time after the end. */
  readonly unanswered: number
  readonly accepted_p50_ms: number
  readonly accepted_p99_ms: number
  readonly refused_p50_ms: number
  readonly refused_p95_ms: number
  readonly refused_p99_ms: number
  /** Measured from when a request was sent. */
  readonly accepted_p99_from_sent_ms: number
  readonly refused_p99_from_sent_ms: number
  readonly requests_per_s: number
  /** How late requests were sent, because this process was late or because every connection waited for an answer. */
  readonly sent_late_p99_ms: number
  /** How late this process woke up. Answers that arrived meanwhile appear to have taken that much longer. */
  readonly own_lag_p99_ms: number
}

const TICK_MS = 2
const PATIENCE_MS = 20_000
/** A call that isn't refused at any load. */
const GREETING = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'
const LENGTH = /content-length: (\d+)/i

interface Line {
  readonly socket: Socket
  due_at_ms: number
  sent_at_ms: number
  received: string
}

/** The latencies of answers, from when their requests were due and from when they were sent. */
class Answers {
  readonly from_due_ms: number[] = []
  readonly from_sent_ms: number[] = []

  add({ due_at_ms, sent_at_ms }: Line): void {
    const now_ms = performance.now()
    this.from_due_ms.push(now_ms - due_at_ms)
    this.from_sent_ms.push(now_ms - sent_at_ms)
  }
}

class OpenLoop {
  readonly #load: OpenLoad
  readonly #free: Line[] = []
  readonly #accepted = new Answers()
  readonly #refused = new Answers()
  readonly #sent_late: number[] = []
  readonly #own_lag: number[] = []
  #start_ms = 0
  #other = 0
  #sent = 0
  #due = 0

  constructor(load: OpenLoad) {
    this.#load = load
  }

  async run(): Promise<OpenMeasurement> {
    const { requests_per_s, seconds } = this.#load
    await Promise.all(Array.from({ length: this.#load.connections }, () => this.#open()))
    this.#start_ms = performance.now()
    const end_ms = this.#start_ms + seconds * 1000
    for (let now_ms = this.#start_ms; now_ms < end_ms; now_ms = performance.now()) {
      this.#due = Math.floor(((now_ms - this.#start_ms) / 1000) * requests_per_s)
      this.#sendDue()
      const asleep_ms = performance.now()
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
      this.#own_lag.push(Math.max(0, performance.now() - asleep_ms - TICK_MS))
    }
    const patient_until_ms = performance.now() + PATIENCE_MS
    while (this.#answered() < this.#due && performance.now() < patient_until_ms)
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    for (const { socket } of this.#free) socket.destroy()
    return this.#measurement(seconds)
  }

  #answered(): number {
    return this.#accepted.from_due_ms.length + this.#refused.from_due_ms.length + this.#other
  }

  #sendDue(): void {
    const { requests, requests_per_s } = this.#load
    while (this.#sent < this.#due) {
      const line = this.#free.pop()
      if (line === undefined) return
      line.due_at_ms = this.#start_ms + (this.#sent / requests_per_s) * 1000
      line.sent_at_ms = performance.now()
      this.#sent_late.push(line.sent_at_ms - line.due_at_ms)
      line.socket.write(requests[this.#sent++ % requests.length] ?? '')
    }
  }

  async #open(): Promise<void> {
    const { hostname, port } = new URL(this.#load.url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const line: Line = { socket, due_at_ms: 0, sent_at_ms: 0, received: '' }
    socket.setEncoding('latin1')
    socket.on('close', () => {
      if (line.due_at_ms > 0) this.#other += 1
      const position = this.#free.indexOf(line)
      if (position >= 0) this.#free.splice(position, 1)
    })
    await once(socket, 'connect')
    socket.on('error', () => {}) // it also closes
    socket.write(GREETING)
    await once(socket, 'data')
    socket.on('data', (text) => this.#receive(line, String(text)))
    this.#free.push(line)
  }

  #receive(line: Line, text: string): void {
    line.received += text
    const head = line.received.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(LENGTH.exec(line.received)?.[1] ?? 0)
    if (line.received.length < head + 4 + length) return
    const status = line.received.slice(9, 12)
    if (status === '200') this.#accepted.add(line)
    else if (status === '503') this.#refused.add(line)
    else this.#other += 1
    line.received = ''
    line.due_at_ms = 0
    this.#free.push(line)
    this.#sendDue()
  }

  #measurement(seconds: number): OpenMeasurement {
    const [accepted, refused] = [this.#accepted, this.#refused]
    return {
      due: this.#due,
      accepted: accepted.from_due_ms.length,
      refused: refused.from_due_ms.length,
      other: this.#other,
      unanswered: this.#due - this.#answered(),
      accepted_p50_ms: quantileOf(accepted.from_due_ms, 0.5),
      accepted_p99_ms: quantileOf(accepted.from_due_ms, 0.99),
      refused_p50_ms: quantileOf(refused.from_due_ms, 0.5),
      refused_p95_ms: quantileOf(refused.from_due_ms, 0.95),
      refused_p99_ms: quantileOf(refused.from_due_ms, 0.99),
      accepted_p99_from_sent_ms: quantileOf(accepted.from_sent_ms, 0.99),
      refused_p99_from_sent_ms: quantileOf(refused.from_sent_ms, 0.99),
      requests_per_s: accepted.from_due_ms.length / seconds,
      sent_late_p99_ms: quantileOf(this.#sent_late, 0.99),
      own_lag_p99_ms: quantileOf(this.#own_lag, 0.99),
    }
  }
}

process.on('message', async (load: OpenLoad) => {
  const measurement = await new OpenLoop(load).run()
  process.send?.(measurement)
})
process.on('disconnect', () => process.exit())
