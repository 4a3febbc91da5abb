import { isoInstant } from '../../domain/times/time.ts'
import type { WorkflowFacts } from '../../store/port/workflow-reader.ts'
import type { Handler } from '../operation-context.ts'
import { AUDIT_LIMITS, chosenWorkflows } from './audit/chosen-workflows.ts'

export const previewAuditPack: Handler<'previewAuditPack'> = async ({ caller, query }, context) => {
  const { workflows, counts, is_too_large } = await chosenWorkflows(query, caller, context)
  return {
    workflows: workflows.length,
    ...counts,
    fits: workflows.length > 0 && !is_too_large,
    max_workflows: AUDIT_LIMITS.workflows,
    max_entries: AUDIT_LIMITS.entries,
    ...timesOf(workflows),
  }
}

function timesOf(workflows: readonly WorkflowFacts[]): { first_at?: string; last_at?: string } {
  const [first] = workflows
  const last_ms = workflows.reduce((latest, facts) => Math.max(latest, facts.last_action_ms ?? 0), 0)
  return {
    ...(first !== undefined && { first_at: isoInstant(first.created_at_ms) }),
    ...(last_ms > 0 && { last_at: isoInstant(last_ms) }),
  }
}
