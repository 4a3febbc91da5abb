import { AuthorityError } from '@deputize/protocol'
import type { WorkflowFacts } from '../../store/port/workflow-reader.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns a workflow, or throws `workflow_unknown`. */
export async function loadWorkflow(
  provenance_ref: string,
  { reader }: OperationContext,
): Promise<WorkflowFacts> {
  const facts = await reader.workflows.facts(provenance_ref)
  if (facts === undefined) throw new AuthorityError('workflow_unknown')
  return facts
}
