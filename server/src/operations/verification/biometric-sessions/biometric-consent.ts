import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import {
  type BiometricConsent,
  type EnrolledPerson,
  type KnownBiometric,
  updateBiometric,
} from '../../identity/biometric-entries.ts'
import type { OperationContext } from '../../operation-context.ts'

export interface GivenConsent {
  readonly version: string
}

/**
 * Returns the consent that a person gives now. Refuses with `consent_required`, naming the current version, if they
 * accept nothing or an older text.
 */
export function acceptedConsent(
  given: GivenConsent | undefined,
  { verification: { consent }, clock }: Pick<OperationContext, 'verification' | 'clock'>,
): BiometricConsent {
  const { version, text_hash } = consent
  if (given?.version !== version) {
    const problem = given === undefined ? 'No consent was sent.' : `Version ${given.version} is not current.`
    const wayOut = `Show the person version ${version} (GET /v1/vat/auth/consent), and send it once they accept.`
    throw new AuthorityError('consent_required', `${problem} ${wayOut}`, { version })
  }
  return { version, text_hash, accepted_at: isoInstant(clock()) }
}

/** Makes a person who enrolled under another text accept the current one before a verification, and stores that. */
export async function keepConsent(
  person: EnrolledPerson,
  { document }: KnownBiometric,
  given: GivenConsent | undefined,
  context: OperationContext,
): Promise<void> {
  if (document.consent.text_hash === context.verification.consent.text_hash) return
  const consent = acceptedConsent(given, context)
  await updateBiometric(person, (known) => ({ ...known, consent }), context)
}
