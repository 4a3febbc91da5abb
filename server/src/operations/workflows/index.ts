import { exportAuditPack } from './export-audit-pack.ts'
import { exportWorkflow } from './export-workflow.ts'
import { getLineage } from './get-lineage.ts'
import { getProvenance } from './get-provenance.ts'
import { getWorkflowGraph } from './get-workflow-graph.ts'
import { listWorkflowRecords } from './list-workflow-records.ts'
import { listWorkflows } from './list-workflows.ts'
import { previewAuditPack } from './preview-audit-pack.ts'

export const WORKFLOW_HANDLERS = {
  listWorkflows,
  getProvenance,
  listWorkflowRecords,
  getWorkflowGraph,
  exportWorkflow,
  exportAuditPack,
  previewAuditPack,
  getLineage,
}
