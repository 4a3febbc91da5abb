import type { AnswerOf, CallOf, OPERATIONS, OperationId } from '@deputize/protocol'
import type { AccessControl } from '../access/access-control.ts'
import type { Caller } from '../access/caller.ts'
import type { Clerk } from '../clerk/clerk.ts'
import type { CommitMinute } from '../clerk/commit-history.ts'
import type { Policy } from '../domain/tokens/policy.ts'
import type { DeliveryDesk } from '../events/delivery-desk.ts'
import type { EventFeed } from '../events/feed.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { CheckpointSigner } from '../log/checkpoint-signer.ts'
import type { LogScrub } from '../log/log-scrub.ts'
import type { LogTree } from '../log/tree.ts'
import type { WitnessCondition } from '../log/witnesses.ts'
import type { Messenger } from '../messages/messenger.ts'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { ReadStore, StatusIndexes } from '../store/port.ts'
import type { TrustScores } from '../trust/trust-scores.ts'
import type { VerificationEngine } from '../verification/biometric-engine.ts'
import type { ConsentNotice } from '../verification/consent-notice.ts'
import type { ExternalProviders } from '../verification/external/external-providers.ts'
import type { ExternalParts } from '../verification/external/port.ts'
import type { SignIn } from '../verification/oidc.ts'
import type { EventStreams } from './event-streams.ts'
import type { SharedPlaces } from './shared-places.ts'

/** What operations use. They never see HTTP or SQL. Members that only one subject needs are grouped under its name. */
export interface OperationContext {
  readonly clerk: Clerk
  readonly reader: ReadStore
  readonly ephemeral: EphemeralStore
  readonly keys: KeyRing
  readonly clock: () => number
  readonly accessControl: AccessControl
  readonly access: 'open' | 'keyed'
  readonly issuer: string
  /** Scheme and authority at which people and programs reach the service. Known once it listens. */
  readonly public_url: () => string
  /** Sites whose pages may call the session operations. If empty, only this service's own pages may. */
  readonly widget_origins: readonly string[]
  readonly policies: readonly Policy[]
  readonly statusIndexes: StatusIndexes
  /** How long an approval request stays open. */
  readonly approval_ttl_ms: number
  /** How long an authorized action stays pending. */
  readonly pending_ttl_ms: number
  /** Calls that wait for something. A call beyond its caller's share answers immediately. */
  readonly waits: SharedPlaces
  /** Computes scores from the vouches in the log. */
  readonly trustScores: TrustScores
  /** Sends messages to people. */
  readonly messenger: Messenger
  /** Writes a notice for the operators to the process log. */
  readonly onNotice: (what: string, about: Readonly<Record<string, string>>) => void
  readonly log: LogContext
  readonly events: EventContext
  readonly verification: VerificationContext
  readonly external: ExternalContext
  readonly node: NodeContext
}

/** The transparency log: its tree, checkpoints and witnesses. */
interface LogContext {
  readonly tree: LogTree
  readonly checkpointSigner: CheckpointSigner
  /** How the log's witnesses have answered this process. */
  readonly witnesses: () => readonly WitnessCondition[]
  /** How many cosignatures a checkpoint needs before it is published. */
  readonly witness_quorum: number
  /** Reads the log back and compares it with its hashes. */
  readonly scrub: LogScrub
}

/** The log as events, and the ways in which events leave the service. */
interface EventContext {
  /** The events themselves, filtered by who may see them. */
  readonly feed: EventFeed
  /** Open streams of events on this node. */
  readonly streams: EventStreams
  /** Webhooks and everything else that events are sent to. */
  readonly deliveries: DeliveryDesk
}

/** How people prove who they are to this service. */
interface VerificationContext {
  readonly signIn: SignIn
  /** Judges captures of people. */
  readonly engine: VerificationEngine
  /** Whether a biometric verification also needs a passkey. */
  readonly l3_passkey: 'required' | 'optional'
  /** What people accept before they enroll. */
  readonly consent: ConsentNotice
  /** How long a biometric template is kept after its person enrolled. */
  readonly biometric_retention_days: number
  /** How long the result of a capture is kept. */
  readonly verification_retention_days: number
  /** Call after the commit of every note for the safety desk, whatever its content. Returns immediately. */
  readonly onSafetyNote: () => void
}

/** Verification providers that verify people instead of the engine. */
interface ExternalContext {
  readonly providers: ExternalProviders
  /** What they were opened with, for the sandbox, which acts as one. */
  readonly parts: Omit<ExternalParts, 'name'>
  /** Has a check handled soon. Returns immediately. */
  readonly wakeCheck: (check_id: string) => void
  /** Has the provider of a check asked again, if that is due. Returns immediately. */
  readonly askIfDue: (check_id: string) => void
}

/** The process that serves the call. */
interface NodeContext {
  readonly version: string
  readonly vitals: Vitals
  /** Returns what is wrong with the clock, or undefined if it can be trusted. */
  readonly clockFault: () => string | undefined
  /** Whether restoring an old copy of the data directory would go unnoticed. */
  readonly is_restore_unnoticed: boolean
  readonly isShuttingDown: () => boolean
}

/** The health of a node since it started. */
export interface Vitals {
  readonly started_at_ms: number
  /** How long commits took in the last hour. */
  readonly commits: () => readonly CommitMinute[]
  readonly machine: () => Promise<{
    readonly memory_bytes: number
    readonly disk?: { readonly free_bytes: number; readonly total_bytes: number }
    readonly wal_bytes?: number
  }>
  /** Returns when the last backup was taken, if that is known. */
  readonly lastBackup: () => number | undefined
}

/** One call of an operation: its validated input, its caller and its headers. */
export type OperationCall<Id extends OperationId> = CallOf<(typeof OPERATIONS)[Id]> & CallEnvelope

export interface CallEnvelope {
  readonly caller: Caller
  /** Scheme and authority that the caller used. */
  readonly origin: string
  readonly operation_id: OperationId
  readonly idempotency_key: string | undefined
  readonly trace_id: string | undefined
  /** The `DPoP` header. In keyed mode it was verified with the caller. */
  readonly proof?: string | undefined
  /** Whether the person confirmed this call with a passkey. */
  readonly stepped_up: boolean
  /** Whether the caller has closed the connection, so no answer can reach it. */
  readonly hasLeft: () => boolean
  /** Call after waiting. Refuses the call if the caller's credential has ended in the meantime. */
  readonly assertStillValid: () => Promise<void>
  /** Call if the answer repeats that of an earlier request. */
  readonly onReplay: () => void
  /** Call with the secret of a session that starts with this answer, or with undefined when the caller's session ends. */
  readonly onSession: (secret: string | undefined) => void
}

export type Handler<Id extends OperationId> = (
  call: OperationCall<Id>,
  context: OperationContext,
) => Promise<AnswerOf<(typeof OPERATIONS)[Id]>>

/** A call of any operation, for code that only needs its identity. */
export type UntypedCall = CallEnvelope & { readonly params: unknown; readonly body: unknown }
