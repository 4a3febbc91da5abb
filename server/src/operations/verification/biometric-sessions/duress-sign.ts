import type { UploadedStep } from '../../../verification/biometric-engine.ts'
import { duressSignIn, EMPTY_DURESS_SLOT } from '../../../verification/duress-slot.ts'
import { type EnrolledPerson, templateOf } from '../../identity/biometric-entries.ts'
import type { OperationContext } from '../../operation-context.ts'

/** Returns the sign of coercion to look for. A person without one gets a random decoy, so timing reveals nothing. */
export async function duressSignOf(
  person: EnrolledPerson,
  context: OperationContext,
): Promise<UploadedStep['duress']> {
  const known = await templateOf(person, context)
  return duressSignIn(known?.document.duress ?? EMPTY_DURESS_SLOT)
}
