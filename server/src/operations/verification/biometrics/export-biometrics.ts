import { isoInstant } from '../../../domain/times/time.ts'
import { biometricExport } from '../../identity/biometric-export.ts'
import { loadHuman } from '../../loading/load-human.ts'
import type { Handler } from '../../operation-context.ts'

export const exportBiometrics: Handler<'exportBiometrics'> = async ({ params, caller }, context) => {
  const { human_ref } = params
  await loadHuman(human_ref, context)
  const person = { tenant_id: caller.tenant_id, human_ref }
  return { human_ref, exported_at: isoInstant(context.clock()), ...(await biometricExport(person, context)) }
}
