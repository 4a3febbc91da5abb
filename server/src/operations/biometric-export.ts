import { type EnrolledPerson, templateOf } from './biometric-entries.ts'
import type { OperationContext } from './operation-context.ts'
import { enrollmentView } from './views/enrollment-view.ts'
import { verificationView } from './views/verification-view.ts'

/** All biometric data of a person, for that person. A sign of coercion changes neither its content nor its size. */
export async function biometricExport(person: EnrolledPerson, context: OperationContext) {
  const known = await templateOf(person, context)
  return {
    ...enrollmentView(known?.document, context),
    ...(known !== undefined && { template: { ...known.document.template } }),
    verifications: await verificationsOf(person, context),
  }
}

const MOST_VERIFICATIONS = 1000

/** The newest verifications of a person, as they may see them. */
async function verificationsOf({ tenant_id, human_ref }: EnrolledPerson, { reader }: OperationContext) {
  const page = { limit: MOST_VERIFICATIONS, before: undefined }
  const { entries } = await reader.registry.list('verification', { tenant_id, owner: human_ref }, page)
  return entries.map(({ document }) => ({ ...verificationView(JSON.parse(document), 'human') }))
}
