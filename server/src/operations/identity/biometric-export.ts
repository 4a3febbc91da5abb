import { entriesOfRefs } from '../lists/entries-of-refs.ts'
import type { OperationContext } from '../operation-context.ts'
import { enrollmentView } from '../views/enrollment-view.ts'
import { verificationView } from '../views/verification-view.ts'
import type { EnrolledPerson } from './biometric-entries.ts'
import { templateOfPerson } from './enrolled-person.ts'
import { everyRefOf } from './proven-person.ts'

/** All biometric data of a person, for that person. A sign of coercion changes neither its content nor its size. */
export async function biometricExport(person: EnrolledPerson, context: OperationContext) {
  const known = await templateOfPerson(person, context)
  return {
    ...enrollmentView(known?.document, context),
    ...(known !== undefined && { template: { ...known.document.template } }),
    verifications: await verificationsOf(person, context),
  }
}

const MOST_VERIFICATIONS = 1000

/** The newest verifications of a person under every ref of theirs, as they may see them. */
async function verificationsOf({ tenant_id, human_ref }: EnrolledPerson, context: OperationContext) {
  const refs = await everyRefOf(human_ref, context)
  const page = { limit: MOST_VERIFICATIONS, before: undefined }
  const { entries } = await entriesOfRefs('verification', { tenant_id, refs }, page, context)
  return entries.map(({ document }) => ({ ...verificationView(JSON.parse(document), 'human') }))
}
