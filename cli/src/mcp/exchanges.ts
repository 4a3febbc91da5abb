import type { ClientRequest } from 'node:http'
import type { CallAuthorizer } from './call-authorizer.ts'
import type { McpToolCall, MessageId, ServerResponse } from './messages.ts'
import type { OpenCall } from './open-calls.ts'

/** A tool call over HTTP. */
export interface Exchange extends OpenCall {
  readonly call: McpToolCall
  readonly session: string | undefined
  /** Removes the exchange. The caller that gets true reports how it ended. */
  close(): boolean
  /** The request to the server, while its response is expected on the same connection. */
  outgoing: ClientRequest | undefined
  /** The server numbers its events, so a client that lost the stream can resume it. */
  is_resumable: boolean
  /** The client disconnected, and only the guard still reads from the server. */
  is_orphan: boolean
}

/** The open tool calls of all sessions, and how they end. */
export interface Exchanges {
  readonly size: number
  /** Undefined if the session already has an open call with this id. */
  open(session: string | undefined, call: McpToolCall): Exchange | undefined
  find(session: string | undefined, id: MessageId): Exchange | undefined
  ofSession(session: string | undefined): Exchange[]
  /** Completes the record with the response of the server. */
  ended(exchange: Exchange, response: ServerResponse): Promise<void>
  /** Completes the record as failed: the server did not respond. */
  failed(exchange: Exchange): Promise<void>
  /** The client no longer wants the call: stops waiting for an approval, or for the server, which may have executed it. */
  giveUp(exchange: Exchange): Promise<void>
  giveUpAll(): Promise<void>
}

export function openExchanges(authorizer: CallAuthorizer): Exchanges {
  const exchanges = new Map<string, Exchange>()
  let anonymous = 0

  const keyFor = (session: string, id: MessageId) => JSON.stringify([session, id])

  async function giveUp(exchange: Exchange): Promise<void> {
    exchange.stop.abort()
    if (exchange.is_with_server && exchange.close()) await authorizer.giveUp(exchange.allowed)
  }

  return {
    get size() {
      return exchanges.size
    },
    open(session, call) {
      // Without sessions, the ids of different clients may collide.
      if (session === undefined) anonymous += 1
      const key = session === undefined ? `${anonymous}` : keyFor(session, call.id)
      if (exchanges.has(key)) return undefined
      const exchange: Exchange = {
        call,
        session,
        stop: new AbortController(),
        allowed: undefined,
        is_with_server: false,
        outgoing: undefined,
        is_resumable: false,
        is_orphan: false,
        close: () => exchanges.get(key) === exchange && exchanges.delete(key),
      }
      exchanges.set(key, exchange)
      return exchange
    },
    find: (session, id) => (session === undefined ? undefined : exchanges.get(keyFor(session, id))),
    ofSession: (session) => [...exchanges.values()].filter((exchange) => exchange.session === session),
    async ended(exchange, response) {
      if (exchange.close()) await authorizer.end(exchange.allowed, response)
    },
    async failed(exchange) {
      if (exchange.close()) await authorizer.end(exchange.allowed, { error: 'The server did not respond.' })
    },
    giveUp,
    async giveUpAll() {
      await Promise.all([...exchanges.values()].map(giveUp))
    },
  }
}
