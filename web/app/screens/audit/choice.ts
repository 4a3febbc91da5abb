/** The scope of an audit pack, as encoded in the address. */
import type { PreviewAuditPackInput } from '../../../../sdk/node/src/generated/operations.ts'

const DAY = /^\d{4}-\d\d-\d\d$/

/** With `by=workflows`, single workflows; otherwise a time range and agents. Days are the reader's, both included. */
export function choiceIn(query: URLSearchParams): PreviewAuditPackInput | undefined {
  if (query.get('by') === 'workflows') {
    const workflow = wordsIn(query.get('workflow'))
    return workflow.length === 0 ? undefined : { workflow }
  }
  const agent_id = wordsIn(query.get('agents'))
  const from = dayStart(query.get('from'), 0)
  const to = dayStart(query.get('to'), 1)
  return {
    ...(agent_id.length > 0 && { agent_id }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

export function wordsIn(text: string | null): string[] {
  return [...new Set((text ?? '').split(/[\s,]+/).filter((word) => word !== ''))]
}

/** The first instant of the day that is `later` days after the named one. Undefined if the text names no day. */
function dayStart(text: string | null, later: number): string | undefined {
  if (text === null || !DAY.test(text)) return undefined
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number)
  const start = new Date(year, month - 1, day + later)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}
