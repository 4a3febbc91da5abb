import { AuthorityError } from '@deputize/protocol'
import { recordView } from '../domain/record.ts'
import type { Handler } from './operation-context.ts'

export const getRecord: Handler<'getRecord'> = async ({ params }, { reader }) => {
  const record = await reader.record(params.id)
  if (record === undefined) throw new AuthorityError('record_unknown')
  return recordView(record)
}
