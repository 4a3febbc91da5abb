/** Shared parts of the servers that play identity providers. Each speaks its provider's documented API on loopback. */
import type { IncomingHttpHeaders } from 'node:http'
import { aServer } from '../a-server.ts'
import type { TestScope } from '../scope.ts'

export type ProviderJson = Readonly<Record<string, unknown>>

/** Results that a test can ask for. `odd` is a status that the documentation does not name. */
export type IdentityOutcome =
  | 'pending'
  | 'pass'
  | 'fail'
  | 'review'
  | 'retry'
  | 'expired'
  | 'withdrawn'
  | 'odd'

export interface SeenCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ServerAnswer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface SignedCallback {
  readonly body: Buffer
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

export interface CallbackChoices {
  /** The secrets to sign with, the active one by default. */
  readonly secrets?: readonly string[]
  /** The time at which it claims to be sent. Providers without a time ignore it. */
  readonly time_ms?: number
}

/** A provider that a test can steer. */
export interface IdentityServer {
  readonly kind: string
  readonly url: string
  /** The members of the provider's entry in the providers file, without name and level. */
  readonly entry: ProviderJson
  /** The content of the secret files that the entry names. */
  readonly secrets: ReadonlyMap<string, string>
  readonly webhook_secret: string
  /** The results that this provider has a documented status for. */
  readonly outcomes: readonly IdentityOutcome[]
  readonly calls: readonly SeenCall[]
  /** Answers in place of the provider while it is set. A promise that never settles makes the provider hang. */
  instead: (() => ServerAnswer | string | Promise<never>) | undefined
  /** Answers wait for this. */
  held: Promise<unknown> | undefined
  decide(external_id: string, outcome: IdentityOutcome): void
  callback(external_id: string, choices?: CallbackChoices): SignedCallback
  /** Whether nothing about the person is left. */
  isRedacted(external_id: string): boolean
  /** The session ID that Deputy left with the session. */
  sessionOf(external_id: string): unknown
}

export interface RunningServer {
  readonly url: string
  readonly calls: readonly SeenCall[]
  instead: IdentityServer['instead']
  held: IdentityServer['held']
}

/** Listens, keeps the calls, and answers in JSON. */
export async function anIdentityServer(
  scope: TestScope,
  answerTo: (call: SeenCall) => ServerAnswer,
): Promise<RunningServer> {
  const calls: SeenCall[] = []
  const url = await aServer(scope, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const target = new URL(request.url ?? '', 'http://here.invalid')
    const call: SeenCall = {
      method: request.method ?? '',
      path: target.pathname,
      query: target.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    calls.push(call)
    await server.held
    const answer = await (server.instead?.() ?? answerTo(call))
    if (typeof answer === 'string') return response.writeHead(200).end(answer)
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    return response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body))
  })
  const server: RunningServer = { url, calls, instead: undefined, held: undefined }
  return server
}

/** Answers a repeated creation like the first one, and refuses one with a different body. */
export class IdempotentAnswers {
  readonly #answers = new Map<string, { readonly body: string; readonly answer: ServerAnswer }>()

  answer({ headers, body }: SeenCall, create: () => ServerAnswer, conflict: ServerAnswer): ServerAnswer {
    const key = String(headers['idempotency-key'])
    const before = this.#answers.get(key)
    if (before !== undefined) return before.body === body ? before.answer : conflict
    const answer = create()
    this.#answers.set(key, { body, answer })
    return answer
  }
}

/** The members of a JSON object, or none. */
export function jsonObject(text: string): ProviderJson {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
