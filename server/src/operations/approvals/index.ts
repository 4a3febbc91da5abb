import { approve } from './approve.ts'
import { decideApprovals } from './decide-approvals.ts'
import { deny } from './deny.ts'
import { endGrant } from './end-grant.ts'
import { endHabit } from './end-habit.ts'
import { getApproval } from './get-approval.ts'
import { listApprovals } from './list-approvals.ts'
import { listGrants } from './list-grants.ts'
import { listHabits } from './list-habits.ts'

export const APPROVAL_HANDLERS = {
  listApprovals,
  getApproval,
  approve,
  deny,
  decideApprovals,
  listHabits,
  endHabit,
  listGrants,
  endGrant,
}
