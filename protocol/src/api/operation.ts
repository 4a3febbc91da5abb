import type { Static, TSchema } from 'typebox'
import type { Access } from './access.ts'
import type { ErrorCode } from './errors.ts'

type Method = 'GET' | 'POST' | 'DELETE' | 'PATCH'

/** One endpoint as a row of data. Routes, validation, handler types and the OpenAPI document come from it. */
export interface Operation {
  method: Method
  path: string
  tag: string
  summary: string
  description?: string
  params?: TSchema
  /** The last part of the path takes all that remains of it, slashes included. */
  rest?: string
  query?: TSchema
  body?: TSchema
  /** A request that works, shown in the documentation. */
  example?: unknown
  /** 200 when absent. */
  status?: 200 | 201
  response: TSchema
  /** The body is application/x-www-form-urlencoded instead of JSON, as OAuth has it. */
  form?: true
  /** Refusals are answered in the form of RFC 6749 section 5.2. */
  oauth_errors?: true
  /** The Cache-Control header of the answer. */
  cache_control?: string
  /** application/json when absent; otherwise the answer is text of this type. */
  media_type?: string
  /** The answer is a `Download` of one of these types, sent while it is made; `response` describes its text. */
  streams?: readonly string[]
  /** Who may call it in keyed mode. */
  access: Access
  /** Refusals particular to this operation; those any request can meet are added to all. */
  errors: readonly ErrorCode[]
}

export function operation<const T extends Operation>(row: T): T {
  return row
}

type Part<T, K extends string> = T extends Record<K, infer S extends TSchema> ? Static<S> : undefined

/** What a handler of operation `T` is given. */
export interface CallOf<T extends Operation> {
  params: Part<T, 'params'>
  query: Part<T, 'query'>
  body: Part<T, 'body'>
}

/** An answer of any length. It is made piece by piece while it is sent, so that no more than a piece is held in memory. */
export interface Download {
  readonly media_type: string
  readonly file_name: string
  /** Whoever reads it may stop at any time; a failure half way must throw, so that nobody takes a part for the whole. */
  readonly chunks: AsyncIterable<string>
}

export type AnswerOf<T extends Operation> = T extends { streams: readonly string[] }
  ? Download
  : Static<T['response']>
