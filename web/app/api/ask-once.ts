/** One call to the service: an operation of the SDK, in the session of this browser. */
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

/** Makes a call once, even if the session has ended or was replaced. */
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

/** Whether a call failed because there is no session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof DeputyError && error.status === 401
}

/** Returns the value with every text made safe to read. */
export function readable(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(readable)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visibleText(name), readable(one)]))
}
