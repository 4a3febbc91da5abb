import { AuthorityError } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'

export const getProvenance: Handler<'getProvenance'> = async ({ params }, { reader }) => {
  const counters = await reader.workflow(params.ref)
  if (counters === undefined) throw new AuthorityError('workflow_unknown')
  return { provenance_ref: params.ref, ...counters }
}
