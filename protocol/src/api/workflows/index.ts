import type { Operation } from '../operation.ts'
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
} as const satisfies Record<string, Operation>
