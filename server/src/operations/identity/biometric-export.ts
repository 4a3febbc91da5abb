import { entriesOfRefs } from '../lists/entries-of-refs.ts'
import type { OperationContext } from '../operation-context.ts'
import { enrollmentView } from '../views/enrollment-view.ts'
import { verificationView } from '../views/verification-view.ts'
import type { EnrolledPerson } from './biometric-entries.ts'
import { templateOfPerson } from './enrolled-person.ts'
import { everyRefOf } from './proven-person.ts'

/** Returns all biometric data of a person, for that person. Content and size are the same with a sign of coercion. */
export async function biometricExport(person: EnrolledPerson, context: OperationContext) {
  const known = await templateOfPerson(person, context)
  return {
    ...enrollmentView(known?.document, context),
    ...(known !== undefined && { template: { ...known.document.template } }),
    verifications: await verificationsOf(person, context),
  }
}

const MOST_VERIFICATIONS = 1000

/** Returns a person's newest verifications under all their refs, as the person may see them. */
async function verificationsOf({ tenant_id, human_ref }: EnrolledPerson, context: OperationContext) {
  const refs = await everyRefOf(human_ref, context)
  const page = { limit: MOST_VERIFICATIONS, before: undefined }
  const { entries } = await entriesOfRefs('verification', { tenant_id, refs }, page, context)
  return entries.map(({ document }) => ({ ...verificationView(JSON.parse(document), 'human') }))
}
