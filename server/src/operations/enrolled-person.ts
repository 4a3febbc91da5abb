import { type EnrolledPerson, type KnownBiometric, templateOf } from './biometric-entries.ts'
import type { OperationContext } from './operation-context.ts'
import { personRefsOf } from './proven-person.ts'

/**
 * The person behind a ref as verification knows them, whichever of their refs is named: under the ref that they enrolled
 * with, or else the one that they sign in with. So they have one template, one sign of coercion and one count of failures.
 */
export async function enrolledPerson(
  { tenant_id, human_ref }: EnrolledPerson,
  context: OperationContext,
): Promise<EnrolledPerson> {
  const refs = await personRefsOf(human_ref, context)
  for (const ref of refs)
    if ((await templateOf({ tenant_id, human_ref: ref }, context)) !== undefined)
      return { tenant_id, human_ref: ref }
  return { tenant_id, human_ref: refs[0] ?? human_ref }
}

/** The template under a ref, or else the one that the person behind it has under another. */
export async function templateOfPerson(
  person: EnrolledPerson,
  context: OperationContext,
): Promise<KnownBiometric | undefined> {
  return (await templateOf(person, context)) ?? templateOf(await enrolledPerson(person, context), context)
}
