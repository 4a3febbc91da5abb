/**
 * The decisions of a workflow as lines of a table. They follow from its log entries alone, so anyone can recompute
 * them.
 */
import { csvLine } from '../encoding/csv.ts'
import { entryAgent, type LogEntryContent } from './entry.ts'

/** What was decided. `approved` and `approval_denied` are decisions by people, or by what they allowed in advance. */
export const DECISIONS = [
  'allowed',
  'denied',
  'approval_requested',
  'approval_endorsed',
  'approved',
  'approval_denied',
  'revoked',
  'suspended',
  'resumed',
] as const
export type DecisionWord = (typeof DECISIONS)[number]

const DECISION_COLUMNS = [
  'at',
  'decision',
  'agent_id',
  'action',
  'resource',
  'spend_usd',
  'reasons',
  'decided_by',
  'decided_as',
  'approval_id',
  'record',
  'workflow',
  'log_index',
] as const

type DecisionRow = { readonly decision: DecisionWord } & Readonly<
  Partial<Record<(typeof DECISION_COLUMNS)[number], unknown>>
>

export const DECISION_HEADER = csvLine(DECISION_COLUMNS)

export interface DecisionLine {
  readonly decision: DecisionWord
  /** With its line end. */
  readonly text: string
}

/** Reads the entries of one workflow in log order. Returns undefined for an entry that decides nothing. */
export function decisionReader(): (index: number, entry: LogEntryContent) => DecisionLine | undefined {
  const requests = new Map<unknown, AskedAction>()
  const deciders = new Map<unknown, unknown>()
  return (log_index, entry) => {
    const { type, approval_id, at, provenance_ref: workflow } = entry
    if (type === 'approval.requested') requests.set(approval_id, actionIn(entry))
    if (type === 'approval.decided') deciders.set(approval_id, entry.by)
    const row = rowOf(entry, requests.get(approval_id), deciders.get(approval_id))
    if (row === undefined) return undefined
    const cells: Record<string, unknown> = { ...row, at, workflow, log_index }
    return { decision: row.decision, text: csvLine(DECISION_COLUMNS.map((column) => cells[column])) }
  }
}

/**
 * Only the request of an approval names its action, so its members are passed as `request`. `decider` approved an
 * allowed action.
 */
function rowOf(
  entry: LogEntryContent,
  request: AskedAction | undefined,
  decider: unknown,
): DecisionRow | undefined {
  const { approval_id, by, rank } = entry
  const asked = { ...request, approval_id }
  switch (entry.type) {
    case 'action.recorded':
    case 'action.authorized':
      return {
        decision: 'allowed',
        ...actionIn(entry),
        record: entry.aar_id,
        approval_id,
        decided_by: decider,
      }
    case 'action.denied':
      return {
        decision: 'denied',
        ...actionIn(entry),
        record: entry.denial_id,
        reasons: words(entry.reasons),
      }
    case 'approval.requested':
      return { decision: 'approval_requested', ...asked }
    case 'approval.endorsed':
      return { decision: 'approval_endorsed', ...asked, decided_by: by, decided_as: sideOf(entry) }
    case 'approval.decided':
      return {
        decision: entry.decision === 'approved' ? 'approved' : 'approval_denied',
        ...asked,
        decided_by: by,
        decided_as: sideOf(entry),
      }
    case 'token.revoked':
      return { decision: 'revoked', agent_id: entryAgent(entry) }
    case 'token.suspended':
      return { decision: 'suspended', agent_id: entryAgent(entry), decided_as: rank }
    case 'token.resumed':
      return { decision: 'resumed', agent_id: entryAgent(entry), decided_as: rank }
    default:
      return undefined
  }
}

type AskedAction = ReturnType<typeof actionIn>

function actionIn(entry: LogEntryContent) {
  const { action, resource, spend_usd } = entry
  return { agent_id: entryAgent(entry), action, resource, spend_usd }
}

function sideOf({ reviewer, owner }: LogEntryContent): string | undefined {
  if (reviewer === true) return 'reviewer'
  return owner === true ? 'owner' : undefined
}

function words(reasons: unknown): string | undefined {
  return Array.isArray(reasons) ? reasons.join(' ') : undefined
}
