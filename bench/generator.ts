import { connect } from 'node:net'

/**
 * The load generator, a separate process, the same for the floor, the peer and every case. It does as little as
 * possible: requests are bytes made in advance, written to plain sockets, one at a time on each connection, and it
 * reads only the status line, the length and one member of a response. It takes about 20 us of processor time per
 * request (autocannon took 24 to 38), and it checks every response. On a machine with few cores a generator takes
 * processor time from the server under test, and the more it takes, the closer every ratio gets to 1.
 */
export interface Load {
  readonly url: string
  /** More nodes of the same service. Connections are divided among all nodes. */
  readonly others?: readonly string[]
  readonly connections: number
  readonly seconds: number
  /**
   * Requests a second, over all connections. A request that is due while all connections wait for an answer is sent on
   * the next free one, and its latency counts from when it was due. If absent, as many as are answered.
   */
  readonly rate?: number
  /** Whole requests, sent in turn. */
  readonly requests: readonly string[]
  /** Text that every response body must contain. */
  readonly expects: string
  /** Sent on the same connection after each response. Both requests count as one, from the first byte to the last. */
  readonly follow_up?: FollowUp
}

export interface FollowUp {
  /** A regular expression whose first group is taken from the response. */
  readonly finds: string
  /** A whole request, with `{}` where that text goes. */
  readonly request: string
  readonly expects: string
}

export interface Measurement {
  readonly answered: number
  readonly requests_per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly errors: number
  readonly first_error: string | undefined
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CHUNKED = /transfer-encoding: chunked/i
const LAST_CHUNK = '\r\n0\r\n\r\n'
const CONTENT_LENGTH = /content-length: (\d+)/i
const PATIENCE_MS = 10_000

/** State shared by all connections of one load. */
interface Tally {
  readonly load: Load
  readonly latencies_ms: number[]
  readonly pace: Pace | undefined
  next: number
  ends_at: number
  errors: number
  first_error: string | undefined
}

async function measure(load: Load): Promise<Measurement> {
  const nodes = [load.url, ...(load.others ?? [])].map((url) => ({ url, requests: requestsFor(load, url) }))
  const tally: Tally = {
    load,
    latencies_ms: [],
    pace: load.rate === undefined ? undefined : new Pace(load.rate),
    next: 0,
    ends_at: 0,
    errors: 0,
    first_error: undefined,
  }
  const connections = await Promise.all(
    Array.from({ length: Math.ceil(load.connections / nodes.length) }, () =>
      nodes.map((node) => open(tally, node)),
    ).flat(),
  )
  tally.ends_at = performance.now() + load.seconds * 1000
  tally.pace?.start(tally.ends_at)
  await Promise.all(connections.map(({ run }) => run()))
  const sorted = Float64Array.from(tally.latencies_ms).sort()
  return {
    answered: sorted.length,
    requests_per_s: sorted.length / load.seconds,
    p50_ms: quantile(sorted, 0.5),
    p99_ms: quantile(sorted, 0.99),
    errors: tally.errors,
    first_error: tally.first_error,
  }
}

const PACE_MS = 1

/** Hands out the times at which requests are due to free connections. */
class Pace {
  readonly #every_ms: number
  readonly #free: ((due_ms: number | undefined) => void)[] = []
  #next_ms = 0

  constructor(rate: number) {
    this.#every_ms = 1000 / rate
  }

  start(ends_at: number): void {
    this.#next_ms = performance.now()
    const timer = setInterval(() => {
      this.#handOut()
      if (performance.now() < ends_at) return
      clearInterval(timer)
      this.#next_ms = Number.POSITIVE_INFINITY
      this.#end()
    }, PACE_MS)
  }

  #end(): void {
    for (const take of this.#free.splice(0)) take(undefined)
  }

  /** Calls back with the time of the next request that is due, or with nothing at the end. */
  wait(take: (due_ms: number | undefined) => void): void {
    this.#free.push(take)
    if (this.#next_ms === Number.POSITIVE_INFINITY) this.#end()
    else this.#handOut()
  }

  #handOut(): void {
    const now = performance.now()
    while (this.#free.length > 0 && this.#next_ms <= now) {
      const due_ms = this.#next_ms
      this.#next_ms += this.#every_ms
      this.#free.shift()?.(due_ms)
    }
  }
}

/** The requests name the first node as their host. */
function requestsFor({ url, requests }: Load, node: string): Buffer[] {
  const host = (address: string) => `\r\nHost: ${new URL(address).host}\r\n`
  return requests.map((request) => Buffer.from(request.replace(host(url), host(node))))
}

function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

interface Node {
  readonly url: string
  readonly requests: readonly Buffer[]
}

/** One keep-alive connection. `run` sends until the time is up and resolves with the last response. */
function open(tally: Tally, { url, requests }: Node): Promise<{ run(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let sent_at = 0
  let received: Buffer | undefined
  let length = 0
  let isFollowing = false
  let onDone = () => {}
  const { follow_up, expects } = tally.load
  const finds = follow_up === undefined ? undefined : new RegExp(follow_up.finds)

  function sendNext(): void {
    const { pace } = tally
    if (pace === undefined) send(performance.now())
    else pace.wait((due_ms) => (due_ms === undefined ? finish() : send(due_ms)))
  }

  function send(due_ms: number): void {
    sent_at = due_ms
    const request = requests[tally.next++ % requests.length]
    if (request !== undefined) socket.write(request)
  }

  function followUp(answer: Buffer): void {
    const found = finds?.exec(answer.toString('latin1'))?.[1]
    if (found === undefined) finish(answer.toString('latin1', 0, 2000))
    else socket.write(follow_up?.request.replaceAll('{}', found) ?? '')
  }

  function finish(error?: string): void {
    if (error !== undefined) {
      tally.errors += 1
      tally.first_error ??= error
    }
    socket.destroy()
    onDone()
  }

  socket.on('data', (chunk) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk])
    if (length === 0) length = wholeLength(received)
    if (length === 0 || received.length < length) return
    const now = performance.now()
    const expected = isFollowing ? (follow_up?.expects ?? '') : expects
    if (!isExpected(received, length, expected)) return finish(received.toString('latin1', 0, 2000))
    const answer = received
    received = undefined
    length = 0
    isFollowing = follow_up !== undefined && !isFollowing
    if (isFollowing) return followUp(answer)
    if (now > tally.ends_at) return finish()
    tally.latencies_ms.push(now - sent_at)
    sendNext()
  })

  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve({
        run: () =>
          new Promise<void>((done) => {
            const limit = setTimeout(
              () => finish('no answer in time'),
              tally.load.seconds * 1000 + PATIENCE_MS,
            )
            onDone = () => {
              clearTimeout(limit)
              socket.removeAllListeners()
              done()
            }
            socket.once('error', (error) => finish(String(error)))
            socket.once('close', () => finish('the server closed the connection'))
            sendNext()
          }),
      })
    })
  })
}

/** Length of head and body together, 0 until the whole head has arrived. */
function wholeLength(received: Buffer): number {
  const head = received.indexOf(HEAD_END)
  if (head < 0) return 0
  const text = received.toString('latin1', 0, head)
  if (CHUNKED.test(text))
    return received.toString('latin1', received.length - 7) === LAST_CHUNK ? received.length : 0
  const match = CONTENT_LENGTH.exec(text)
  return match === null ? received.length : head + HEAD_END.length + Number(match[1])
}

/** A 200 or 201 with the expected text and no bytes after it. */
function isExpected(received: Buffer, length: number, expects: string): boolean {
  const text = received.toString('latin1', 0, Math.min(length, 2000))
  return received.length === length && /^HTTP\/1\.1 20[01] /.test(text) && text.includes(expects)
}

process.on('message', async (load: Load) => {
  try {
    process.send?.(await measure(load))
  } catch (error) {
    process.send?.({ errors: 1, first_error: String(error) })
  }
})
process.on('disconnect', () => process.exit(0))
