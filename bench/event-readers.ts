/** Reads streams of events in a separate process and counts what arrives. */
import { connect } from 'node:net'

export interface ReaderOrder {
  readonly url: string
  /** One stream for each of these queries. */
  readonly queries: readonly string[]
}

/** `begin`: starts measuring how late events are. */
export type ReaderMessage = ReaderOrder | 'begin' | 'report'

export interface ReaderReport {
  readonly bytes: number
  readonly events: number
  /** From the time in the log to the reader, in milliseconds, for one event of each chunk that arrived. */
  readonly latencies_ms: readonly number[]
}

const ID = Buffer.from('\nid: ')
const OCCURRED = /"occurred_at":"([^"]+)"/
/** Every event is longer than this. */
const BEGINNING = 600

let bytes = 0
let events = 0
let begun_ms = Number.POSITIVE_INFINITY
let latencies_ms: number[] = []

function open(url: string, query: string): void {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET /v1/vat/events${query} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nConnection: keep-alive\r\n\r\n`,
  )
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length
    for (let at = piece.indexOf(ID); at !== -1; at = piece.indexOf(ID, at + BEGINNING / 2)) events += 1
    const at = OCCURRED.exec(piece.toString('latin1', 0, 2 * BEGINNING))?.[1]
    const occurred_ms = at === undefined ? 0 : Date.parse(at)
    if (occurred_ms >= begun_ms) latencies_ms.push(Date.now() - occurred_ms)
  })
}

process.on('message', (message: ReaderMessage) => {
  if (message === 'begin') {
    begun_ms = Date.now()
  } else if (message === 'report') {
    process.send?.({ bytes, events, latencies_ms } satisfies ReaderReport)
    bytes = 0
    events = 0
    latencies_ms = []
  } else for (const query of message.queries) open(message.url, query)
})
