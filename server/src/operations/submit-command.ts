import { hash } from 'node:crypto'
import { AuthorityError, canonicalJson, OPERATIONS, type Operation } from '@deputize/protocol'
import type { Command, Replay } from '../clerk/command.ts'
import type { OperationContext, UntypedCall } from './operation-context.ts'

/** Submits a command to the clerk. The outcome is that of the command's judge. */
export async function submitCommand<Outcome>(
  command: Command,
  call: UntypedCall,
  { clerk }: OperationContext,
): Promise<Outcome> {
  const replay = replayOfCall(call)
  const { lane }: Operation = OPERATIONS[call.operation_id]
  const result = await clerk.submit(
    replay === undefined ? command : { ...command, replay },
    lane,
    call.hasLeft,
  )
  if (result.replayed) call.onReplay()
  return result.outcome as Outcome // each operation names the outcome type of the judge that its command goes to
}

/**
 * Submits the command that `prepare` makes. If a check in `prepare` refuses a repeated request, because time has passed
 * since or because the first one took the last place, the request still gets the answer of the first one.
 */
export async function submitPrepared<Outcome>(
  prepare: () => Promise<Command>,
  call: UntypedCall,
  context: OperationContext,
): Promise<Outcome> {
  let command: Command
  try {
    command = await prepare()
  } catch (refusal) {
    const first = refusal instanceof AuthorityError ? await firstOutcome(call, context) : undefined
    if (first === undefined) throw refusal
    return first.outcome as Outcome // it was stored under the key of this operation
  }
  return submitCommand(command, call, context)
}

/** Returns the stored outcome of the same request. Undefined for a request without a key, or a new one. */
async function firstOutcome(
  call: UntypedCall,
  { clerk }: OperationContext,
): Promise<{ readonly outcome: unknown } | undefined> {
  const replay = replayOfCall(call)
  if (replay === undefined) return undefined
  try {
    const { outcome } = await clerk.submit({ kind: 'repeat', replay })
    call.onReplay()
    return { outcome }
  } catch (error) {
    if (error instanceof AuthorityError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Returns the same call without its Idempotency-Key, for a command that must run each time. */
export function withoutReplay(call: UntypedCall): UntypedCall {
  return { ...call, idempotency_key: undefined }
}

function replayOfCall(call: UntypedCall): Replay | undefined {
  const { caller, operation_id, idempotency_key, params, body } = call
  if (idempotency_key === undefined) return undefined
  const key = canonicalDigest([caller.name, operation_id, params ?? null, idempotency_key])
  const time = timeIn(idempotency_key)
  return {
    key,
    ordered_key: time === undefined ? undefined : `${time}.${key}`,
    fingerprint: canonicalDigest(body ?? null),
  }
}

/** Keys that begin with the milliseconds since 1970, in a form that sorts by time. The groups capture that part. */
const TIMED_KEYS = [
  // A UUID of version 7 (RFC 9562).
  /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  // An ID of this service, for example of the record to complete.
  /^([a-z]+_(?:root_|sub_)?[0-9a-v]{9})[0-9a-v]{27}$/,
  // A ULID.
  /^([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}$/,
]

/** Returns the part of a key that encodes its time. Keys from about the same time have similar beginnings. */
function timeIn(key: string): string | undefined {
  for (const pattern of TIMED_KEYS) {
    const found = pattern.exec(key)
    if (found !== null) return found.slice(1).join('')
  }
  return undefined
}

export function canonicalDigest(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'base64url')
}
