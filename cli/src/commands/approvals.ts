import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { agentName, dollars, moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

/** `deputy approvals`: lists, shows, approves and denies requests for approval. */
export function addApprovalsCommand(program: Command): void {
  const approvals = callingCommand(program, 'approvals', 'list, show, approve and deny requests for approval')
  addCallCommand(approvals, { name: 'list', operation: 'listApprovals', say: approvalTable, isDefault: true })
  addCallCommand(approvals, { name: 'show', operation: 'getApproval', args: ['id'], say: approvalFacts })
  addCallCommand(approvals, { name: 'approve', operation: 'approve', args: ['id'], say: approvalFacts })
  addCallCommand(approvals, { name: 'deny', operation: 'deny', args: ['id'], say: approvalFacts })
}

function approvalTable(answer: ResponseOf<'listApprovals'>, screen: Screen): string {
  return pageTable(answer, 'approval', screen, [
    { title: 'approval', cell: ({ approval_id }) => approval_id, whole: true },
    { title: 'state', cell: ({ state }) => state, whole: true },
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'action', cell: ({ action, resource }) => `${action} ${resource}` },
    { title: 'spend', cell: ({ spend_usd }) => dollars(spend_usd) },
  ])
}

export function approvalFacts(approval: ResponseOf<'getApproval'>): string {
  const { decided_at, decided_by, note, used_by } = approval
  return facts([
    ['approval', approval.approval_id],
    ['state', approval.state],
    ['action', `${approval.action} ${approval.resource}`],
    ['spend', dollars(approval.spend_usd)],
    ['agent', agentName(approval.agent_id)],
    ['token', approval.vat_jti],
    ['workflow', approval.provenance_ref],
    ['requested', moment(approval.created_at)],
    ['expires', moment(approval.expires_at)],
    ['decided', decided_at === undefined ? undefined : `${moment(decided_at)} by ${decided_by}`],
    ['note', note],
    ['used by', used_by],
  ])
}
