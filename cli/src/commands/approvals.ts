import type { Command } from 'commander'
import { type Answer, addCallCommand } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { agentName, dollars, moment } from '../terminal/words.ts'
import { page } from './page.ts'

/** `deputy approvals`: what people are asked, and what they say. */
export function addApprovalsCommand(program: Command): void {
  const approvals = callingCommand(program, 'approvals', 'list what people are asked, approve or deny it')
  addCallCommand(approvals, { name: 'list', operation: 'listApprovals', say: approvalTable, isDefault: true })
  addCallCommand(approvals, { name: 'show', operation: 'getApproval', args: ['id'], say: approvalFacts })
  addCallCommand(approvals, { name: 'approve', operation: 'approve', args: ['id'], say: approvalFacts })
  addCallCommand(approvals, { name: 'deny', operation: 'deny', args: ['id'], say: approvalFacts })
}

function approvalTable(answer: Answer<'listApprovals'>, screen: Screen): string {
  return page(answer, 'approval', screen, [
    { title: 'approval', cell: ({ approval_id }) => approval_id, whole: true },
    { title: 'state', cell: ({ state }) => state, whole: true },
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'asks', cell: ({ action, resource }) => `${action} ${resource}` },
    { title: 'spend', cell: ({ spend_usd }) => dollars(spend_usd) },
  ])
}

export function approvalFacts(approval: Answer<'getApproval'>): string {
  const { decided_at, decided_by, note, used_by } = approval
  return facts([
    ['approval', approval.approval_id],
    ['state', approval.state],
    ['action', `${approval.action} ${approval.resource}`],
    ['spend', dollars(approval.spend_usd)],
    ['agent', agentName(approval.agent_id)],
    ['token', approval.vat_jti],
    ['workflow', approval.provenance_ref],
    ['asked', moment(approval.created_at)],
    ['until', moment(approval.expires_at)],
    ['decided', decided_at === undefined ? undefined : `${moment(decided_at)} by ${decided_by}`],
    ['note', note],
    ['used by', used_by],
  ])
}
