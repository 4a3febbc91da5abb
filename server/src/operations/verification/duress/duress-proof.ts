import { AuthorityError, type OperationId } from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import { stepUpRequired } from '../../../access/step-up.ts'
import type { EnrolledPerson } from '../../identity/biometric-entries.ts'
import { enrolledPerson } from '../../identity/enrolled-person.ts'
import { everyRefOf } from '../../identity/proven-person.ts'
import type { CallEnvelope, OperationContext } from '../../operation-context.ts'
import { safetyNoteIn } from '../../safety/safety-notes.ts'
import { findVerification } from '../biometric-sessions/verification-entries.ts'

const FRESH_MS = 10 * 60_000

/** What a request states about the person, in open mode. */
interface StatedProof {
  readonly human_ref?: string
  readonly verification_id?: string
}

export interface PersonWithSign extends EnrolledPerson {
  /** Whether the proof itself was given under coercion. If so, nothing may change, and nothing may show that. */
  readonly under_duress: boolean
  /** Whether the proof is a passkey, which can't carry a sign of coercion. */
  readonly by_passkey: boolean
}

/**
 * Returns the person who changes their sign of coercion, under the ref that has their template. They prove themselves
 * with a fresh passkey or, in open mode, with a fresh verification by this service's own engine.
 */
export async function provenForDuress(
  { caller, stepped_up, operation_id }: Pick<CallEnvelope, 'caller' | 'stepped_up' | 'operation_id'>,
  stated: StatedProof,
  context: OperationContext,
): Promise<PersonWithSign> {
  if (caller.role !== 'human') return provenByVerification(caller, stated, context)
  if (!stepped_up) throw stepUpRequired(operation_id satisfies OperationId, 'no_grant')
  const { tenant_id, human_ref } = caller
  if (stated.human_ref !== undefined && !caller.human_refs.includes(stated.human_ref)) throw notProven()
  const person = await enrolledPerson({ tenant_id, human_ref }, context)
  return { ...person, under_duress: false, by_passkey: true }
}

async function provenByVerification(
  { tenant_id }: Caller,
  { human_ref, verification_id }: StatedProof,
  context: OperationContext,
): Promise<PersonWithSign> {
  const { reader, clock } = context
  if (human_ref === undefined || verification_id === undefined) throw notProven()
  const entry = await reader.registry.entry('review', verification_id)
  const document = entry?.document
  const note = document === undefined ? undefined : safetyNoteIn({ document })
  const isTheirs = (await everyRefOf(human_ref, context)).some((ref) => ref === entry?.owner)
  const isFresh = note?.passed === true && isTheirs && clock() - Date.parse(note.at) <= FRESH_MS
  // A check by an external provider can't carry a sign, so a coercer could use it to remove one unnoticed.
  const verification = await findVerification(verification_id, context)
  if (!isFresh || verification === undefined || verification.document.external !== undefined)
    throw notProven()
  const person = await enrolledPerson({ tenant_id, human_ref }, context)
  return { ...person, under_duress: note.duress, by_passkey: false }
}

function notProven(): AuthorityError {
  return new AuthorityError(
    'not_yours',
    'Set human_ref and verification_id to a person and a verification of theirs that passed within the last ten minutes. It must be by the built-in engine: a check by a verification provider has no sign of coercion.',
  )
}
