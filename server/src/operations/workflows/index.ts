import { exportWorkflow } from './export-workflow.ts'
import { getLineage } from './get-lineage.ts'
import { getProvenance } from './get-provenance.ts'
import { getWorkflowGraph } from './get-workflow-graph.ts'
import { listWorkflowRecords } from './list-workflow-records.ts'
import { listWorkflows } from './list-workflows.ts'

export const WORKFLOW_HANDLERS = {
  listWorkflows,
  getProvenance,
  listWorkflowRecords,
  getWorkflowGraph,
  exportWorkflow,
  getLineage,
}
