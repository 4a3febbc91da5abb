/** The table of policies in an audit pack: one line for each token and policy. */
import { csvLine } from '../encoding/csv.ts'
import { entryAgent, type LogEntryContent } from './entry.ts'

const TOKEN_COLUMNS = ['at', 'workflow', 'log_index', 'agent_id', 'token', 'assurance_level'] as const
const FINDING_COLUMNS = ['policy', 'version', 'asserted', 'met', 'unmet'] as const

export const POLICY_TABLE_HEADER = csvLine([...TOKEN_COLUMNS, ...FINDING_COLUMNS])

const TOKEN_TYPES: readonly string[] = ['token.issued', 'token.delegated', 'token.renewed']

export function beginsToken({ type }: LogEntryContent): boolean {
  return TOKEN_TYPES.includes(type)
}

/** What the service found when it checked a policy for a token. The log doesn't prove it. */
export interface PolicyFinding {
  readonly policy: string
  readonly version: string
  /** Whether the token was issued with this policy among its `policy_assertions`. */
  readonly asserted: boolean
  readonly met: boolean
  /** The controls that are not met, and why. */
  readonly unmet: string
}

export function policyLine(index: number, entry: LogEntryContent, finding: PolicyFinding): string {
  const { policy, version, asserted, met, unmet } = finding
  return csvLine([...tokenCells(index, entry), policy, version, asserted, met, unmet])
}

/** Whether a line is about this token and policy. The cells after them are only stated by the service. */
export function isPolicyLineOf(
  line: string,
  index: number,
  entry: LogEntryContent,
  { name, version }: { readonly name: string; readonly version: string },
): boolean {
  const start = csvLine([...tokenCells(index, entry), name, version]).replace(/\r\n$/, ',')
  return line.startsWith(start) && /^(true|false),(true|false),[^\n]*\r\n$/.test(line.slice(start.length))
}

function tokenCells(index: number, entry: LogEntryContent): unknown[] {
  const { at, provenance_ref, token, assurance_level } = entry
  return [at, provenance_ref, index, entryAgent(entry), token, assurance_level]
}
