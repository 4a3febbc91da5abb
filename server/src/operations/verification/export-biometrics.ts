import { isoInstant } from '../../domain/time.ts'
import { biometricExport } from '../biometric-export.ts'
import { loadHuman } from '../load-human.ts'
import type { Handler } from '../operation-context.ts'

export const exportBiometrics: Handler<'exportBiometrics'> = async ({ params, caller }, context) => {
  const { human_ref } = params
  await loadHuman(human_ref, context)
  const person = { tenant_id: caller.tenant_id, human_ref }
  return { human_ref, exported_at: isoInstant(context.clock()), ...(await biometricExport(person, context)) }
}
