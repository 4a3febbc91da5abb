/** Calls to the service: the operations of the SDK, in the session of this browser. */
import { visibleText } from '@deputize/protocol/visible-text'
import { signal } from '@preact/signals'
import { type CallInput, call } from '../../../sdk/node/src/calls/call.ts'
import type { Connection } from '../../../sdk/node/src/calls/request.ts'
import { DeputyError } from '../../../sdk/node/src/errors.ts'
import type { Methods, OperationId } from '../../../sdk/node/src/generated/operations.ts'

export type CallArguments<Id extends OperationId> = NonNullable<Parameters<Methods[Id]>[0]>
export type ServiceAnswer<Id extends OperationId> = Awaited<ReturnType<Methods[Id]>>

const CALL_TIMEOUT_MS = 20_000

/** Sent with every call in a session, so that other sites can't make calls. */
const csrf = signal<string | undefined>(undefined)

export function setCsrfToken(token: string | undefined): void {
  csrf.value = token
}

export const connection: Connection = {
  url: location.origin,
  fetch: (...request) => fetch(...request),
  timeout_ms: CALL_TIMEOUT_MS,
  retries: 2,
  credential: {
    is_bound: false,
    headers: async (): Promise<Record<string, string>> =>
      csrf.value === undefined ? {} : { 'deputy-csrf': csrf.value },
    learn: () => false,
  },
  tracing: undefined,
}

/** Set while a call waits for a sign-in. Resolving it repeats the call. */
export const waitingForSignIn = signal<(() => void) | undefined>(undefined)

/** Makes a call once, even if the session has ended. */
export async function askOnce<Id extends OperationId>(
  id: Id,
  input: CallArguments<Id>,
  signalled?: AbortSignal,
): Promise<ServiceAnswer<Id>> {
  // The row of an operation and its method are generated from the same source.
  const answer = await call(connection, id, input as CallInput, { signal: signalled })
  // Names and notes come from other parties: no screen may show misleading characters.
  return readable(answer) as ServiceAnswer<Id>
}

/** Makes a call. If the session has ended, waits for a sign-in and makes the call again. */
export async function callService<Id extends OperationId>(
  id: Id,
  input: CallArguments<Id>,
  signalled?: AbortSignal,
): Promise<ServiceAnswer<Id>> {
  for (;;) {
    // Without a session every call would be refused, and refused calls are limited.
    if (waitingForSignIn.value !== undefined) await signedIn()
    try {
      return await askOnce(id, input, signalled)
    } catch (error) {
      if (!isSignedOut(error)) throw error
      await signedIn()
    }
  }
}

/** Shows the sign-in if a call failed for lack of one. Later calls wait for it. */
export function askForSignIn(error: unknown): void {
  if (isSignedOut(error)) void signedIn()
}

function isSignedOut(error: unknown): boolean {
  return error instanceof DeputyError && error.status === 401
}

function signedIn(): Promise<void> {
  return new Promise((resolve) => {
    const earlier = waitingForSignIn.value
    waitingForSignIn.value = () => {
      earlier?.()
      resolve()
    }
  })
}

/** Returns the value with every text made safe to read. */
export function readable(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(readable)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visibleText(name), readable(one)]))
}

/** What went wrong, in words for the person at the screen. */
export function problemText(error: unknown): string {
  if (error instanceof DeputyError) {
    if (error.code === 'unreachable')
      return 'The service could not be reached. Check your connection, then try again.'
    // For 404, the message also names what is missing; otherwise the detail is enough.
    const { detail = error.message } = error.problem
    if (error.status === 429 && error.retry_after_s !== undefined)
      return `Too many requests. Try again in ${error.retry_after_s} s.`
    return visibleText(error.status === 404 ? error.message : detail)
  }
  return error instanceof Error ? error.message : 'Something went wrong.'
}

/** Whether repeating the call would fail too: what it names doesn't exist, or the caller may not make it. */
export function isLastingProblem(error: unknown): boolean {
  return error instanceof DeputyError && (error.status === 403 || error.status === 404)
}

/** What is wrong with each member of the body, if the service sent that. */
export function problemErrors(
  error: unknown,
): readonly { readonly pointer: string; readonly detail: string }[] | undefined {
  if (!(error instanceof DeputyError)) return undefined
  return error.problem.errors?.map(({ pointer, detail }) => ({ pointer, detail: visibleText(detail) }))
}

/** The code of the error, if the service sent one. */
export function problemCode(error: unknown): string | undefined {
  return error instanceof DeputyError ? error.code : undefined
}
