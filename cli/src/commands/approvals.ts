import type { Deputy } from '@deputize/sdk'
import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand } from '../client/running.ts'
import type { CommandInput } from '../client/schema-options.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { agentName, dollars, duration, moment } from '../terminal/words.ts'
import { approvalWithEnding, idEnding } from './approvals/id-ending.ts'
import { pageTable } from './page.ts'

type ListedApproval = ResponseOf<'listApprovals'>['data'][number]

/** `deputy approvals`: lists, shows, approves and denies approval requests, and lists and ends grants. */
export function addApprovalsCommand(program: Command): void {
  const approvals = callingCommand(program, 'approvals', 'list, show, approve and deny approval requests')
  addCallCommand(approvals, {
    name: 'list',
    operation: 'listApprovals',
    say: approvalTable,
    isDefault: true,
    // The table shows what would be left of the budget. --json prints exactly what was requested.
    around: ({ expand, json }, call) =>
      call(expand === undefined && json !== true ? { expand: 'token' } : {}),
  })
  addCallCommand(approvals, {
    name: 'show',
    operation: 'getApproval',
    args: ['id'],
    say: approvalFacts,
    around: async (_, call, more) => call(await wholeId('id', more)),
  })
  addCallCommand(approvals, {
    name: 'approve',
    operation: 'approve',
    args: ['id'],
    without: ['grant'],
    say: approvalFacts,
    around: async (options, call, more) => call({ ...(await wholeId('id', more)), ...grantOf(options) }),
  })
    .option('--grant-minutes <n>', 'also approve requests of the same kind for this many minutes')
    .option('--grant-usd <usd>', 'maximum total spend, including this action')
  addCallCommand(approvals, {
    name: 'deny',
    operation: 'deny',
    args: ['id'],
    say: approvalFacts,
    around: async (_, call, more) => call(await wholeId('id', more)),
  })
  addCallCommand(approvals, { name: 'grants', operation: 'listGrants', say: grantTable })
  addCallCommand(approvals, {
    name: 'end-grant',
    operation: 'endGrant',
    args: ['approval_id'],
    around: async (_, call, more) => call(await wholeId('approval_id', more)),
    say: ({ ended }) => (ended ? 'ended; people are asked again\n' : 'was not in force any more\n'),
  })
}

/** Resolves an ID, or the ending that the table shows, to the whole ID of the approval. */
async function wholeId(
  member: 'id' | 'approval_id',
  { client, input }: { readonly client: Deputy; readonly input: CommandInput },
): Promise<CommandInput> {
  return { [member]: await approvalWithEnding(String(input[member]), client) }
}

/** Turns the options of a grant into the member of the request. */
function grantOf({ grantMinutes, grantUsd }: CommandInput): CommandInput {
  if (grantMinutes === undefined && grantUsd === undefined) return {}
  if (grantMinutes === undefined) throw new UsageError('--grant-usd needs --grant-minutes.')
  const grant = {
    minutes: numberOption('--grant-minutes', grantMinutes),
    ...(grantUsd !== undefined && { max_spend_usd: numberOption('--grant-usd', grantUsd) }),
  }
  return { grant }
}

function numberOption(name: string, typed: unknown): number {
  const value = Number(typed)
  if (typed === '' || !Number.isFinite(value)) throw new UsageError(`${name} must be a number.`)
  return value
}

function approvalTable(answer: ResponseOf<'listApprovals'>, screen: Screen): string {
  return pageTable(answer, 'approvals', screen, [
    { title: 'approval', cell: ({ approval_id }) => idEnding(approval_id), whole: true },
    { title: 'state', cell: ({ state }) => state, whole: true },
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'asks', cell: ({ action, resource }) => `${action} ${resource}` },
    { title: 'spend', cell: ({ spend_usd }) => dollars(spend_usd), whole: true },
    { title: 'left after', cell: leftAfter, whole: true },
    { title: 'ends in', cell: endsIn, whole: true },
  ])
}

/** What would be left of the tightest budget. Empty once decided, and without a budget. */
function leftAfter({ token }: ListedApproval): string {
  return token?.remaining_after_usd === undefined ? '' : dollars(token.remaining_after_usd)
}

function endsIn({ state, expires_at }: ListedApproval): string {
  return state === 'pending' ? duration(Date.parse(expires_at) - Date.now()) : ''
}

function grantTable({ data }: ResponseOf<'listGrants'>, screen: Screen): string {
  return pageTable({ data, next_cursor: null }, 'grants', screen, [
    { title: 'approval', cell: ({ approval_id }) => idEnding(approval_id), whole: true },
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'action', cell: ({ action, resource }) => `${action} ${resource}` },
    { title: 'left', cell: ({ spent_usd, max_spend_usd }) => dollars(max_spend_usd - spent_usd) },
    { title: 'until', cell: ({ expires_at }) => moment(expires_at), whole: true },
  ])
}

export function approvalFacts(approval: ResponseOf<'getApproval'>): string {
  const {
    decided_at,
    decided_by,
    note,
    used_by,
    summary = [],
    grant,
    grant_id,
    required,
    decisions,
  } = approval
  const approved = decisions.filter(({ decision }) => decision === 'approved').length
  return facts([
    ['approval', approval.approval_id],
    ['state', approval.state],
    ['action', `${approval.action} ${approval.resource}`],
    ['spend', dollars(approval.spend_usd)],
    ...summary.map((line, index) => [index === 0 ? 'details' : '', line] as const),
    ['approvers', approval.approvers === undefined ? undefined : `${approved} of ${required} approved`],
    ['agent', agentName(approval.agent_id)],
    ['token', approval.vat_jti],
    ['workflow', approval.provenance_ref],
    ['requested', moment(approval.created_at)],
    ['expires', moment(approval.expires_at)],
    ['decided', decided_at === undefined ? undefined : `${moment(decided_at)} by ${decided_by}`],
    ['note', note],
    [
      'grant',
      grant === undefined
        ? undefined
        : `until ${moment(grant.expires_at)}, up to ${dollars(grant.max_spend_usd)}`,
    ],
    ['granted by', grant_id],
    ['used by', used_by],
  ])
}
