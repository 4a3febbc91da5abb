import { EMPTY_DURESS_SLOT } from '../../../verification/duress-slot.ts'
import type { Handler } from '../../operation-context.ts'
import { provenForDuress } from './duress-proof.ts'
import { putSlot } from './set-duress.ts'

export const deleteDuress: Handler<'deleteDuress'> = async (call, context) => {
  const person = await provenForDuress(call, call.query, context)
  await putSlot(person, EMPTY_DURESS_SLOT, context)
  return { saved: true }
}
