import { hash } from 'node:crypto'
import {
  type AnswerOf,
  type CallOf,
  canonicalJson,
  type OPERATIONS,
  type OperationId,
} from '@deputize/protocol'
import type { AccessControl } from '../access/access-control.ts'
import type { Caller } from '../access/caller.ts'
import type { Clerk } from '../clerk/clerk.ts'
import type { Command, Replay } from '../clerk/command.ts'
import type { Policy } from '../domain/policy.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { CheckpointSigner } from '../log/checkpoint-signer.ts'
import type { LogTree } from '../log/tree.ts'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { ReadStore } from '../store/port.ts'
import type { SignOn } from '../verification/oidc.ts'

/** What operations work with. They never see HTTP or SQL. */
export interface OperationContext {
  readonly clerk: Clerk
  readonly reader: ReadStore
  readonly ephemeral: EphemeralStore
  readonly keys: KeyRing
  readonly signOn: SignOn
  readonly tree: LogTree
  readonly checkpointSigner: CheckpointSigner
  readonly clock: () => number
  readonly issuer: string
  /** Scheme and authority under which people and programs reach the service; known once it listens. */
  readonly public_url: () => string
  readonly access: 'open' | 'keyed'
  readonly version: string
  readonly policies: readonly Policy[]
  readonly statusIndexes: StatusIndexes
  /** How long a question to a human may stay open. */
  readonly approval_ttl_ms: number
  /** How long an authorized action may stay open. */
  readonly pending_ttl_ms: number
  readonly isShuttingDown: () => boolean
  readonly accessControl: AccessControl
}

/** Hands out places in the list that tells offline verifiers which tokens are revoked; each is used once. */
export interface StatusIndexes {
  next(): number | Promise<number>
}

/** One call of an operation: its checked input, and what is known of the caller. */
export type Call<Id extends OperationId> = CallOf<(typeof OPERATIONS)[Id]> & CallEnvelope

export interface CallEnvelope {
  readonly caller: Caller
  /** Scheme and authority under which the caller reached the service. */
  readonly origin: string
  readonly operation_id: OperationId
  readonly idempotency_key: string | undefined
  readonly trace_id: string | undefined
  /** Whether the person has confirmed this very call with a passkey. */
  readonly stepped_up: boolean
  /** Call when the answer repeats an earlier one. */
  readonly onReplay: () => void
  /** Call with the secret of a session that begins with the answer, or with undefined when the caller's ends. */
  readonly onSession: (secret: string | undefined) => void
}

export type Handler<Id extends OperationId> = (
  call: Call<Id>,
  context: OperationContext,
) => Promise<AnswerOf<(typeof OPERATIONS)[Id]>>

/** What a command needs to know of the call that it comes from. */
export type Submitted = CallEnvelope & { readonly params: unknown; readonly body: unknown }

/** Has the clerk carry a command out. The outcome is what the judge of that kind of command returns. */
export async function carryOut<Outcome>(
  command: Command,
  call: Submitted,
  { clerk }: OperationContext,
): Promise<Outcome> {
  const replay = replayOf(call)
  const settled = await clerk.submit(replay === undefined ? command : { ...command, replay })
  if (settled.replayed) call.onReplay()
  return settled.outcome as Outcome // each operation names the outcome type of the judge that its command goes to
}

function replayOf(call: Submitted): Replay | undefined {
  const { caller, operation_id, idempotency_key, params, body } = call
  if (idempotency_key === undefined) return undefined
  return {
    key: digestOf([caller.name, operation_id, params ?? null, idempotency_key]),
    fingerprint: digestOf(body ?? null),
  }
}

export function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'base64url')
}
