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
  /** Undefined if the server may still answer another request of the session with this id. */
  open(session: string | undefined, call: McpToolCall): Exchange | undefined
  /** Takes the id for a request that is not a call. False under the same condition. */
  ask(session: string | undefined, id: MessageId): boolean
  /** The server has answered this request, so that its id is free. */
  answered(session: string | undefined, id: MessageId): void
  /** The session has ended. */
  forget(session: string): void
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
  /** Other requests, and cancelled calls, that the server may still answer, by session. */
  const asked = new Map<string, Set<MessageId>>()
  let anonymous = 0

  const keyFor = (session: string, id: MessageId) => JSON.stringify([session, id])

  const isInUse = (session: string, id: MessageId) =>
    exchanges.has(keyFor(session, id)) || asked.get(session)?.has(id) === true

  function take(session: string | undefined, id: MessageId): void {
    if (session === undefined) return
    const ids = asked.get(session) ?? new Set()
    asked.set(session, ids.add(id))
  }

  async function giveUp(exchange: Exchange): Promise<void> {
    exchange.stop.abort()
    if (!exchange.is_with_server || !exchange.close()) return
    take(exchange.session, exchange.call.id)
    await authorizer.giveUp(exchange.allowed)
  }

  return {
    get size() {
      return exchanges.size + asked.size
    },
    open(session, call) {
      // Without sessions, the ids of different clients may collide.
      if (session === undefined) anonymous += 1
      const key = session === undefined ? `${anonymous}` : keyFor(session, call.id)
      if (session !== undefined && isInUse(session, call.id)) return undefined
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
    ask(session, id) {
      if (session !== undefined && isInUse(session, id)) return false
      take(session, id)
      return true
    },
    answered(session = '', id) {
      const ids = asked.get(session)
      if (ids?.delete(id) && ids.size === 0) asked.delete(session)
    },
    forget(session) {
      asked.delete(session)
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
