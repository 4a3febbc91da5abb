import type { Handler } from '../operation-context.ts'
import { logEntryView } from '../views/log-entry-view.ts'

const DEFAULT_ENTRIES = 100

export const listLogEntries: Handler<'listLogEntries'> = async ({ query }, { reader }) => {
  const { start = 0, limit = DEFAULT_ENTRIES } = query
  const { size } = await reader.log.head()
  const leaves = await reader.log.leaves(start, Math.min(start + limit, size))
  const next_start = start + leaves.length
  return {
    data: leaves.map((leaf, offset) => logEntryView(start + offset, leaf)),
    next_start,
    has_more: next_start < size,
    size,
  }
}
