/** Who a verification session is about, and what must hold before one begins. */
import { AuthorityError, invalidField, newSuffix, type VerificationPurpose } from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import { emailRef, humanRef } from '../../../access/human-ref.ts'
import { isKnownPerson } from '../../../access/ownership.ts'
import type { BiometricConsent, EnrolledPerson, KnownBiometric } from '../../identity/biometric-entries.ts'
import { enrolledPerson } from '../../identity/enrolled-person.ts'
import type { OperationContext } from '../../operation-context.ts'
import { assertRecentSignIn } from '../sign-in/recent-sign-in.ts'
import { acceptedConsent, type GivenConsent } from './biometric-consent.ts'

interface NamedPerson {
  readonly purpose: VerificationPurpose
  readonly human_ref?: string
  readonly developer_email?: string
}

/**
 * Requires a fresh sign-in to enroll. A template outlives the session that stores it, so a session stolen hours later
 * must not store one.
 */
export function assertFreshSignIn(
  caller: Caller,
  purpose: VerificationPurpose,
  context: OperationContext,
): void {
  if (caller.role === 'human' && purpose !== 'verify') assertRecentSignIn(caller, context)
}

/**
 * Returns the person of a verification. People verify themselves. Other callers name the person; an enrollment without
 * a name creates a new one.
 */
export async function verificationPerson(
  { purpose, developer_email, human_ref }: NamedPerson,
  caller: Caller,
  context: OperationContext,
): Promise<EnrolledPerson> {
  const { keys, clock } = context
  const { tenant_id } = caller
  if (human_ref !== undefined && developer_email !== undefined)
    throw invalidField('/developer_email', 'must be absent when human_ref is given')
  const named = developer_email === undefined ? human_ref : emailRef(keys, tenant_id, developer_email)
  if (caller.role === 'human') {
    if (named !== undefined && !caller.human_refs.includes(named))
      throw new AuthorityError('not_yours', 'A signed-in person verifies only themselves.')
    return enrolledPerson({ tenant_id, human_ref: caller.human_ref }, context)
  }
  // The ref of an address is derived for the tenant of the caller. A bare ref may be one of any tenant.
  if (human_ref !== undefined && !(await isKnownPerson(human_ref, tenant_id, context.reader)))
    throw new AuthorityError('human_unknown')
  if (named !== undefined) return enrolledPerson({ tenant_id, human_ref: named }, context)
  if (purpose === 'verify') throw invalidField('/human_ref', 'or developer_email is required to verify')
  return { tenant_id, human_ref: humanRef(keys, tenant_id, `enrolled|${newSuffix(clock())}`) }
}

/**
 * Refuses to verify a person who isn't enrolled, except for developers, who must not learn whether a person is. Their
 * capture fails like any other.
 */
export function assertEnrolled(
  known: KnownBiometric | undefined,
  purpose: VerificationPurpose,
  { role }: Pick<Caller, 'role'>,
): void {
  if (purpose === 'verify' && known === undefined && role !== 'developer')
    throw new AuthorityError('not_enrolled')
}

/** Whether consent to the current text is needed: for an enrollment, and for a person who agreed to another text. */
export function needsConsent(
  purpose: VerificationPurpose,
  known: KnownBiometric | undefined,
  { verification: { consent } }: OperationContext,
): boolean {
  const isAgreed = known === undefined || known.document.consent.text_hash === consent.text_hash
  return purpose === 'enroll' || !isAgreed
}

/** Returns the consent that a session starts with. Undefined if the person gave it before. */
export function sessionConsent(
  purpose: VerificationPurpose,
  given: GivenConsent | undefined,
  known: KnownBiometric | undefined,
  context: OperationContext,
): BiometricConsent | undefined {
  return needsConsent(purpose, known, context) ? acceptedConsent(given, context) : undefined
}
