import { DEFAULT_PAGE, scopedAgent, tenantOf, withoutAgentPrefix } from '@deputize/protocol'
import { recordView } from '../../domain/record.ts'
import { visibleTenant } from '../lists/list-visibility.ts'
import { cursorOf, pageRequest, readCursor } from '../lists/pages.ts'
import { recordFilter } from '../lists/record-filter.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { loadWorkflow } from './load-workflow.ts'

export const listWorkflowRecords: Handler<'listWorkflowRecords'> = async (call, context) => {
  const { caller, params, query } = call
  const { reader } = context
  const { agent_id, order, limit, cursor } = query
  const workflow = await loadWorkflow(params.ref, context)
  const filter = {
    ...visibleTenant(caller),
    provenance_ref: params.ref,
    agent_id:
      agent_id === undefined
        ? undefined
        : scopedAgent(tenantOf(workflow.agent_id), withoutAgentPrefix(agent_id)),
    human_ref: undefined,
    assurance_level: undefined,
    ...recordFilter(query),
  }
  if (order !== 'oldest') return pageAnswer(await reader.records(filter, pageRequest(query)), recordView)
  const page = await reader.workflows.records(filter, {
    limit: limit ?? DEFAULT_PAGE,
    from: cursor === undefined ? workflow.log_index : readCursor(cursor, 'u').position,
    end: undefined,
  })
  return {
    data: page.entries.map(recordView),
    next_cursor: page.from === undefined ? null : cursorOf('u', page.from),
    has_more: page.from !== undefined,
  }
}
