import { encodeBase64 } from '../../protocol/src/encoding/base64.ts'
import { leafHash } from '../../protocol/src/log/merkle.ts'
import { aLeaf, aLog, instant, type LogParts, type TestLog } from './a-log.ts'

export const WORKFLOW = 'prov_trip'
const TOKEN = `sha256:${'a'.repeat(64)}`

export type Members = Record<string, unknown>

export interface WorkflowLog {
  readonly log: TestLog
  /** The log indexes of the workflow. */
  readonly indexes: readonly number[]
  readonly records: readonly Members[]
}

/** The leaves of one workflow. Between them are leaves of other workflows. */
const WORKFLOW_LEAVES: readonly Members[] = [
  { type: 'token.issued', human_ref: 'sha256:bb', assurance_level: 'L1', delegation_depth: 0 },
  { type: 'action.recorded', aar_id: 'aar_1', result: 'success', spend_usd: 0.25 },
  { type: 'action.authorized', aar_id: 'aar_2', parent_aar_id: 'aar_1', evidence: 'observed' },
  { type: 'action.authorized', aar_id: 'aar_3', spend_usd: 2 },
  { type: 'action.denied', denial_id: 'den_1', reasons: ['action_not_in_scope'] },
  {
    type: 'action.completed',
    aar_id: 'aar_3',
    result: 'partial',
    result_hash: 'sha256:cc',
    spend_usd: 1.5,
    over_budget: true,
    evidence: 'observed',
  },
  { type: 'action.authorized', aar_id: 'aar_4', spend_usd: 1, evidence: 'observed' },
  { type: 'action.cancelled', aar_id: 'aar_4' },
  {
    type: 'action.rated',
    aar_id: 'aar_3',
    rating: 'approved',
    rater_assurance: 'none',
    note_digest: 'hmac:dd',
  },
  { type: 'action.authorized', aar_id: 'aar_5', evidence: 'observed' },
  { type: 'action.expired', aar_id: 'aar_5' },
]

const OBSERVED = { evidence: 'observed' }
const REQUESTS = ['action.recorded', 'action.authorized', 'action.denied']

/** Every third entry belongs to the workflow. */
const placeOf = (nth: number) => 3 * nth + 2

export async function aWorkflowLog(parts: LogParts = {}): Promise<WorkflowLog> {
  const size = parts.size ?? 300
  const leaves = Array.from({ length: size }, (_, index) => {
    const nth = (index - 2) / 3
    const members = WORKFLOW_LEAVES[nth]
    return members === undefined ? aLeaf(index) : workflowLeaf(members, index)
  })
  const log = await aLog({ ...parts, leaves })
  return { log, indexes: WORKFLOW_LEAVES.map((_, nth) => placeOf(nth)), records: recordsOf(leaves) }
}

function workflowLeaf(members: Members, index: number): string {
  const { type } = members
  const isRequest = REQUESTS.includes(String(type))
  const isClosing = ['action.completed', 'action.cancelled', 'action.expired'].includes(String(type))
  const opened = WORKFLOW_LEAVES.findIndex(
    ({ aar_id, type }) => aar_id === members.aar_id && type === 'action.authorized',
  )
  const absent = { aar_id: undefined, result: undefined, action: undefined, resource: undefined }
  return aLeaf(index, {
    ...absent,
    ...(isRequest && { action: 'read', resource: 'calendar:events' }),
    trust_score: isRequest ? 0.4 : undefined,
    token: isRequest || type === 'token.issued' ? TOKEN : undefined,
    authorized_index: isClosing ? placeOf(opened) : undefined,
    provenance_ref: WORKFLOW,
    ...members,
  })
}

function recordsOf(leaves: readonly string[]): Members[] {
  const at = (nth: number) => ({ log_index: placeOf(nth), created_at: instant(placeOf(nth)) })
  const created = (nth: number) => ({
    ...at(nth),
    provenance_ref: WORKFLOW,
    token: TOKEN,
    root_token: TOKEN,
    agent_id: 'agent:calendar-bot',
    human_ref: 'sha256:bb',
    assurance_level: 'L1',
    trust_score: 0.4,
    delegation_depth: 0,
    action: 'read',
    resource: 'calendar:events',
    evidence: 'self_reported',
    leaf_hash: `sha256:${Buffer.from(leafHash(leaves[placeOf(nth)] ?? '')).toString('hex')}`,
  })
  const closed = (nth: number) => ({
    completed_log_index: placeOf(nth),
    completed_at: instant(placeOf(nth)),
  })
  return [
    { aar_id: 'aar_1', ...created(1), ...closed(1), state: 'completed', result: 'success', spend_usd: 0.25 },
    { aar_id: 'aar_2', ...created(2), state: 'pending', spend_usd: 0, parent_aar_id: 'aar_1', ...OBSERVED },
    {
      aar_id: 'aar_3',
      ...created(3),
      ...closed(5),
      state: 'completed',
      result: 'partial',
      result_hash: 'sha256:cc',
      spend_usd: 1.5,
      over_budget: true,
      ...OBSERVED,
      rating: 'approved',
      rater_assurance: 'none',
      feedback_at: instant(placeOf(8)),
      rated_log_index: placeOf(8),
      note: 'well done',
    },
    { aar_id: 'aar_4', ...created(6), ...closed(7), state: 'cancelled', spend_usd: 0 },
    { aar_id: 'aar_5', ...created(9), ...closed(10), state: 'expired', spend_usd: 0, ...OBSERVED },
  ]
}

/** The proof pack of the workflow, as lines. */
export function aPack({ log, indexes, records }: WorkflowLog): Members[] {
  return [
    {
      format: 'deputy-proof-pack',
      version: 1,
      provenance_ref: WORKFLOW,
      origin: log.signatory.key.name,
      vkey: log.vkey,
      checkpoint: log.note,
      exported_at: instant(1000),
    },
    ...indexes.map((index) => ({ index, leaf: log.leaves[index], proof: log.proofOf(index) })),
    ...records.map((record) => ({ record })),
    { end: true, entries: indexes.length, records: records.length },
  ]
}

export function packText(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** The receipt of the third record: opened, completed and rated. */
export function aReceipt({ log, indexes }: WorkflowLog) {
  const entry = (kind: string, nth: number) => {
    const index = indexes[nth] ?? -1
    const leaf = log.leaves[index] ?? ''
    return { kind, index, leaf, leaf_hash: encodeBase64(leafHash(leaf)), proof: log.proofOf(index) }
  }
  return {
    aar_id: 'aar_3',
    origin: log.signatory.key.name,
    vkey: log.vkey,
    entries: [entry('created', 3), entry('completed', 5), entry('rated', 8)],
    checkpoint: log.note,
    statement: 'not.looked.at',
  }
}
