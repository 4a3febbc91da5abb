import { AuthorityError } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { logEntryView } from '../views/log-entry-view.ts'

export const getLogEntry: Handler<'getLogEntry'> = async ({ params }, { reader }) => {
  const [leaf] = await reader.log.leaves(params.index, params.index + 1)
  if (leaf === undefined) throw new AuthorityError('log_entry_unknown')
  return logEntryView(params.index, leaf)
}
