import type { Operation } from '../operation.ts'
import { exportAuditPack, previewAuditPack } from './audit.ts'
import {
  exportWorkflow,
  getLineage,
  getProvenance,
  getWorkflowGraph,
  listWorkflowRecords,
  listWorkflows,
} from './provenance.ts'

export const WORKFLOW_OPERATIONS = {
  listWorkflows,
  getProvenance,
  listWorkflowRecords,
  getWorkflowGraph,
  exportWorkflow,
  getLineage,
  previewAuditPack,
  exportAuditPack,
} as const satisfies Record<string, Operation>
