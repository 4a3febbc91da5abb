import type { Operation } from '../operation.ts'
import {
  approve,
  decideApprovals,
  deny,
  endHabit,
  getApproval,
  listApprovals,
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
} as const satisfies Record<string, Operation>
