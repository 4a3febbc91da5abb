import type { OperationContext } from '../operation-context.ts'
import { type EnrolledPerson, type KnownBiometric, templateOf } from './biometric-entries.ts'
import { everyRefOf, personRefsOf } from './proven-person.ts'

/**
 * Returns the person behind any of their refs as verification knows them: under the ref that they enrolled with, or
 * else the one that they sign in with. So they have one template, one sign of coercion and one count of failures.
 */
export async function enrolledPerson(
  { tenant_id, human_ref }: EnrolledPerson,
  context: OperationContext,
): Promise<EnrolledPerson> {
  const refs = await personRefsOf(human_ref, context)
  const found = await firstTemplate(tenant_id, refs, context)
  return { tenant_id, human_ref: found?.human_ref ?? refs[0] ?? human_ref }
}

/** Returns the template under a ref, or else the one that its person has under another ref. */
export async function templateOfPerson(
  { tenant_id, human_ref }: EnrolledPerson,
  context: OperationContext,
): Promise<KnownBiometric | undefined> {
  return (await firstTemplate(tenant_id, await everyRefOf(human_ref, context), context))?.known
}

async function firstTemplate(tenant_id: string, refs: readonly string[], context: OperationContext) {
  for (const human_ref of refs) {
    const known = await templateOf({ tenant_id, human_ref }, context)
    if (known !== undefined) return { human_ref, known }
  }
  return undefined
}
