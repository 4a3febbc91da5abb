/** Judged captures in the registry: results, measures and hashes, encrypted for the person. The log holds a digest. */
import {
  AuthorityError,
  ID_PREFIXES,
  LEVELS,
  type VerificationPurpose,
  type VerificationView,
} from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { DAY_MS, isoInstant } from '../../domain/time.ts'
import { type AttemptsState, attemptsState, type PastAttempt } from '../../domain/verification-attempts.ts'
import type { Judgement } from '../../verification/biometric-engine.ts'
import type { EnrolledPerson } from '../biometric-entries.ts'
import type { OperationContext } from '../operation-context.ts'

/** What the registry stores about a judged capture. Its length tells nothing about `duress`. */
export interface VerificationDocument {
  readonly session_id: string
  readonly nonce_hash: string
  /** Digest of the call that was answered with this. */
  readonly fingerprint: string
  readonly purpose: VerificationPurpose
  readonly human_ref: string
  readonly decision: Judgement['decision']
  readonly modalities: Judgement['modalities']
  readonly score: number
  readonly evidence_hash: string
  readonly engine_version: string
  readonly attempts_left: number
  readonly verified_at: string
  /** Whether the person showed their sign of coercion. */
  readonly duress: 0 | 1
}

/** A session and its verification share the random part of their ids. */
export function verificationIdOf(session_id: string): string {
  return ID_PREFIXES.verification + session_id.slice(ID_PREFIXES.verification_session.length)
}

/** Stores a judged capture. Refuses with `registry_conflict` when the session was judged already. */
export async function addVerification(
  { tenant_id, human_ref }: EnrolledPerson,
  document: VerificationDocument,
  { clerk }: OperationContext,
): Promise<void> {
  await clerk.submit({
    kind: 'register',
    entry_kind: 'verification',
    id: verificationIdOf(document.session_id),
    tenant_id,
    owner: human_ref,
    document: JSON.stringify(document),
    expects: 'absent',
  })
}

export interface KnownVerification {
  readonly tenant_id: string
  readonly document: VerificationDocument
}

export async function findVerification(
  id: string,
  { reader }: OperationContext,
): Promise<KnownVerification | undefined> {
  const entry = await reader.registry.entry('verification', id)
  if (entry?.document === undefined) return undefined
  return { tenant_id: entry.tenant_id, document: JSON.parse(entry.document) }
}

/** More than enough for the longest lock. */
const REMEMBERED_ATTEMPTS = 32

/** How often a person may still fail. Somebody who is not enrolled is counted alike, so the answer tells nothing. */
export async function attemptsOf(person: EnrolledPerson, context: OperationContext): Promise<AttemptsState> {
  const past = [...(await judgedAttempts(person, context)), ...(await unknownAttempts(person, context))]
  return attemptsState(
    past.sort((a, b) => b.at_ms - a.at_ms),
    context.clock(),
  )
}

export async function assertNotLocked(
  person: EnrolledPerson,
  context: OperationContext,
): Promise<AttemptsState> {
  const attempts = await attemptsOf(person, context)
  const { locked_until_ms } = attempts
  if (locked_until_ms === undefined) return attempts
  const retry_after_s = Math.ceil((locked_until_ms - context.clock()) / 1000)
  throw new AuthorityError('verification_locked', undefined, { retry_after_s })
}

async function judgedAttempts(
  { tenant_id, human_ref }: EnrolledPerson,
  { reader }: OperationContext,
): Promise<PastAttempt[]> {
  const page = { limit: REMEMBERED_ATTEMPTS, before: undefined }
  const { entries } = await reader.registry.list('verification', { tenant_id, owner: human_ref }, page)
  return entries.flatMap(({ document }) => {
    const { decision, verified_at }: VerificationDocument = JSON.parse(document)
    return decision === 'retry' ? [] : [{ at_ms: Date.parse(verified_at), passed: decision === 'pass' }]
  })
}

async function unknownAttempts(
  person: EnrolledPerson,
  { ephemeral }: OperationContext,
): Promise<PastAttempt[]> {
  const entries = await ephemeral.ofOwner('capture_failure', failureOwner(person))
  return entries.map(({ expires_at_ms }) => ({ at_ms: expires_at_ms - DAY_MS, passed: false }))
}

/** Counts a failure in the name of somebody who is not enrolled, of whom the registry stores nothing. */
export async function addUnknownFailure(
  person: EnrolledPerson,
  session_id: string,
  { ephemeral, clock }: OperationContext,
): Promise<void> {
  const expires_at_ms = clock() + DAY_MS
  await ephemeral.add('capture_failure', {
    key: session_id,
    value: '{}',
    owner: failureOwner(person),
    expires_at_ms,
  })
}

function failureOwner({ tenant_id, human_ref }: EnrolledPerson): string {
  return `${tenant_id} ${human_ref}`
}

/** Numbers are for operators and auditors: a caller who sees one could climb it. */
export function verificationView(document: VerificationDocument, { role }: Caller): VerificationView {
  const isShownNumbers = role === 'operator' || role === 'auditor' || role === 'local'
  const { session_id, purpose, decision, modalities, score, human_ref } = document
  const passed = decision === 'pass'
  return {
    verification_id: verificationIdOf(session_id),
    session_id,
    purpose,
    passed,
    decision,
    modalities: modalities.map(({ name, passed, method, reasons, score, measures }) => ({
      name,
      passed,
      method,
      reasons: [...reasons],
      ...(isShownNumbers && { score, measures: { ...measures } }),
    })),
    reasons: [...new Set(modalities.flatMap(({ reasons }) => reasons))],
    human_ref,
    ...(passed && { assurance_level: 'L3', trust_score: LEVELS.L3.base_trust }),
    provider: 'builtin',
    engine_version: document.engine_version,
    evidence_hash: document.evidence_hash,
    verified_at: document.verified_at,
    ...(isShownNumbers && { score }),
  }
}

export function nowText({ clock }: OperationContext): string {
  return isoInstant(clock())
}
