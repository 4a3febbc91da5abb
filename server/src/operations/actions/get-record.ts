import { recordView } from '../../domain/record.ts'
import { loadRecord } from '../loading/load-record.ts'
import type { Handler } from '../operation-context.ts'

export const getRecord: Handler<'getRecord'> = async ({ params }, context) =>
  recordView(await loadRecord(params.id, context))
