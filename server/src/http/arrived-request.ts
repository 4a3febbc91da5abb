import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Lane } from '@deputize/protocol'
import type { Caller } from '../access/caller.ts'
import type { RequestCredentials } from '../access/credentials.ts'

/** The members used from a request's connection. */
export type RequestSocket = Pick<IncomingMessage['socket'], 'remoteAddress' | 'destroyed'>

/** What the guards read from a request and add to it, whether it arrived at Fastify or at the lean path. */
export interface ArrivedRequest {
  caller: Caller
  credentials: RequestCredentials | undefined
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly headers: IncomingHttpHeaders
  readonly socket: RequestSocket
  readonly raw: Pick<LeanRequest, 'rawHeaders'>
  readonly routeOptions: { readonly config?: RouteFacts }
}

/** What load shedding reads from a request. */
export type LoadingRequest = Pick<LeanRequest, 'rawHeaders' | 'socket'>

/** What the lean path reads from a request, whether it arrived at this thread or at a front. */
export interface LeanRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly socket: RequestSocket
}

interface RouteFacts {
  readonly operation?: string
  readonly lane?: Lane
  readonly guarded?: boolean
  readonly visit?: boolean
  readonly oauth_errors?: boolean
  readonly cross_origin?: boolean
}

/** Collects an answer's headers before it is sent. */
export interface AnswerHeaders {
  header(name: string, value: string): unknown
  headers(values: Record<string, string>): unknown
}
