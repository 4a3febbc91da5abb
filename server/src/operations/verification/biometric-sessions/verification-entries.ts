/** Judged captures in the registry: results, measures and hashes, encrypted for the person. The log holds a digest. */
import { AuthorityError } from '@deputize/protocol'
import type { Reply } from '../../../clerk/command.ts'
import { DAY_MS, isoInstant } from '../../../domain/times/time.ts'
import {
  type AttemptsState,
  attemptsState,
  type PastAttempt,
} from '../../../domain/verification/verification-attempts.ts'
import type { EnrolledPerson } from '../../identity/biometric-entries.ts'
import type { OperationContext } from '../../operation-context.ts'
import { safetyNoteCommand } from '../../safety/safety-notes.ts'
import { type VerificationDocument, verificationIdOf } from '../../views/verification-view.ts'

/**
 * Stores a judged capture and, in the same commit, the note for the safety desk that each one has. Refuses with
 * `registry_conflict` if the session was already judged.
 */
export async function addVerification(
  { tenant_id, human_ref }: EnrolledPerson,
  document: VerificationDocument,
  slot: string,
  { clerk }: OperationContext,
): Promise<void> {
  const verification_id = verificationIdOf(document.session_id, document.opening)
  const entry = {
    kind: 'register',
    entry_kind: 'verification',
    id: verification_id,
    tenant_id,
    owner: human_ref,
    document: JSON.stringify(document),
    expects: 'absent',
  } as const
  const note = safetyNoteCommand({
    verification_id,
    tenant_id,
    human_ref,
    passed: document.decision === 'pass',
    duress: document.duress === 1,
    slot,
    at: document.verified_at,
  })
  const { outcome } = await clerk.submit({ kind: 'many', items: [entry, note] })
  const [stored] = outcome as Reply[] // a command with several items is answered with one reply for each
  if (stored === undefined || !('outcome' in stored)) throw new AuthorityError('registry_conflict')
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

/** Returns how often a person may still fail. Counts people who aren't enrolled alike, so it reveals nothing. */
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

/** Returns the newest attempts of the last day. Captures that ended with `retry` don't count or displace any. */
async function judgedAttempts(
  { tenant_id, human_ref }: EnrolledPerson,
  { reader, clock }: OperationContext,
): Promise<PastAttempt[]> {
  const filter = { tenant_id, owner: human_ref }
  const past: PastAttempt[] = []
  let before: number | undefined
  do {
    const page = await reader.registry.list('verification', filter, { limit: REMEMBERED_ATTEMPTS, before })
    for (const { document } of page.entries) {
      const { decision, verified_at }: VerificationDocument = JSON.parse(document)
      const at_ms = Date.parse(verified_at)
      if (clock() - at_ms >= DAY_MS) return past
      if (decision !== 'retry') past.push({ at_ms, passed: decision === 'pass' })
    }
    before = page.before
  } while (before !== undefined && past.length < REMEMBERED_ATTEMPTS)
  return past
}

async function unknownAttempts(
  person: EnrolledPerson,
  { ephemeral }: OperationContext,
): Promise<PastAttempt[]> {
  const entries = await ephemeral.ofOwner('capture_failure', failureOwner(person))
  return entries.map(({ expires_at_ms }) => ({ at_ms: expires_at_ms - DAY_MS, passed: false }))
}

/** Counts a failure of a person who isn't enrolled. The registry stores nothing about them. */
export async function addUnknownFailure(
  person: EnrolledPerson,
  verification_id: string,
  { ephemeral, clock }: OperationContext,
): Promise<void> {
  const expires_at_ms = clock() + DAY_MS
  await ephemeral.add('capture_failure', {
    key: verification_id,
    value: '{}',
    owner: failureOwner(person),
    expires_at_ms,
  })
}

function failureOwner({ tenant_id, human_ref }: EnrolledPerson): string {
  return `${tenant_id} ${human_ref}`
}

export function nowText({ clock }: OperationContext): string {
  return isoInstant(clock())
}
