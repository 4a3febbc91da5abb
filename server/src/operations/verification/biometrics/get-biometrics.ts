import { templateOfPerson } from '../../identity/enrolled-person.ts'
import { loadHuman } from '../../loading/load-human.ts'
import type { Handler } from '../../operation-context.ts'
import { enrollmentView } from '../../views/enrollment-view.ts'

export const getBiometrics: Handler<'getBiometrics'> = async ({ params, caller }, context) => {
  const { human_ref } = params
  await loadHuman(human_ref, context)
  const known = await templateOfPerson({ tenant_id: caller.tenant_id, human_ref }, context)
  return { human_ref, ...enrollmentView(known?.document, context) }
}
