import { AuthorityError } from '@deputize/protocol'
import { denialView } from '../../domain/denial.ts'
import type { Handler } from '../operation-context.ts'

export const getDenial: Handler<'getDenial'> = async ({ params }, { reader }) => {
  const denial = await reader.denial(params.id)
  if (denial === undefined) throw new AuthorityError('denial_unknown')
  return denialView(denial)
}
