import type { Operation } from '../operation.ts'
import {
  approve,
  decideApprovals,
  deny,
  endGrant,
  endHabit,
  getApproval,
  listApprovals,
  listGrants,
  listHabits,
} from './approvals.ts'

export const APPROVAL_OPERATIONS = {
  listApprovals,
  getApproval,
  approve,
  deny,
  decideApprovals,
  listHabits,
  endHabit,
  listGrants,
  endGrant,
} as const satisfies Record<string, Operation>
