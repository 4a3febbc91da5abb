/** Checks that action records match their log entries. */

import { hexOf } from '../encoding/hex.ts'
import { entryAgent, type LogEntryContent, readEntry } from './entry.ts'
import { LogFault } from './faults.ts'
import { keptTexts } from './kept-texts.ts'
import { leafHash } from './merkle.ts'
import { MOMENTS, type Moment } from './receipt.ts'

/** A leaf whose position in the log is proven. */
interface ProvenLeaf {
  readonly index: number
  readonly text: string
  readonly entry: LogEntryContent
}

/** An action record from a pack. Untrusted. */
export type ClaimedRecord = Readonly<Record<string, unknown>> & { readonly log_index: number }

/** The proven leaves about records that have not yet been matched with a record. */
export interface ToldRecords {
  add(leaf: ProvenLeaf): void
  /** Throws a LogFault unless the record matches the leaves at the indexes that it names. */
  assertTold(record: ClaimedRecord): void
  /** Throws a LogFault when a leaf has no matching record. */
  assertNothingHidden(): void
}

const TOKEN_TYPES: readonly string[] = ['token.issued', 'token.delegated', 'token.renewed']

/** What the leaf of a token says about its holder. */
type TokenHolder = Pick<LogEntryContent, 'human_ref' | 'assurance_level' | 'delegation_depth'>

export function toldRecords(): ToldRecords {
  // The records of a pack follow all of its leaves.
  const untold = keptTexts()
  const holders = new Map<unknown, TokenHolder>()

  /** The leaf at the index that the record names for one of its state changes. */
  function take(moment: Moment, record: ClaimedRecord, index: unknown): ProvenLeaf {
    const leaf = typeof index === 'number' ? leafAt(index) : undefined
    if (leaf === undefined) throw untoldFault(record, `no entry ${index} tells that it was ${moment}`)
    if (!MOMENTS[moment].some((type) => type === leaf.entry.type))
      throw untoldFault(record, `entry ${index} is ${leaf.entry.type}, which is not how it was ${moment}`)
    compare(record, leaf, { aar_id: leaf.entry.aar_id, agent_id: entryAgent(leaf.entry) })
    untold.delete(leaf.index)
    return leaf
  }

  function leafAt(index: number): ProvenLeaf | undefined {
    const text = untold.get(index)
    return text === undefined ? undefined : { index, text, entry: readEntry(text, index) }
  }

  return {
    add({ index, text, entry }) {
      const { type, token, human_ref, assurance_level, delegation_depth } = entry
      if (TOKEN_TYPES.includes(type)) holders.set(token, { human_ref, assurance_level, delegation_depth })
      if (momentOf(entry) !== undefined) untold.set(index, text)
    },
    assertTold(record) {
      const created = take('created', record, record.log_index)
      assertCreated(record, created)
      assertHolder(record, created, holders.get(created.entry.token))
      if (created.entry.type === 'action.recorded') assertOutcome(record, created)
      else if (record.completed_log_index === undefined) assertPending(record, created)
      else assertClosed(record, created, take('completed', record, record.completed_log_index))
      if (record.rated_log_index === undefined) assertUnrated(record, created)
      else assertRated(record, take('rated', record, record.rated_log_index))
    },
    assertNothingHidden() {
      const index = untold.first()
      const leaf = index === undefined ? undefined : leafAt(index)
      if (leaf === undefined) return
      const { entry } = leaf
      const fault = momentOf(entry) === 'created' ? 'record_missing' : 'record_hides'
      throw new LogFault(fault, `Entry ${index} is ${entry.type} of ${entry.aar_id}.`)
    },
  }
}

function momentOf({ type }: LogEntryContent): Moment | undefined {
  const moments: readonly Moment[] = ['created', 'completed', 'rated']
  return moments.find((moment) => MOMENTS[moment].some((known) => known === type))
}

function assertCreated(record: ClaimedRecord, leaf: ProvenLeaf): void {
  const { provenance_ref, action, resource, trust_score, parent_aar_id, token, at } = leaf.entry
  const leaf_hash = `sha256:${hexOf(leafHash(leaf.text))}`
  const told = { provenance_ref, action, resource, trust_score, parent_aar_id, token }
  compare(record, leaf, { ...told, created_at: at, leaf_hash })
}

/** Compares the record with its token's leaf, the only one that says for whom the agent acted. */
function assertHolder(record: ClaimedRecord, created: ProvenLeaf, holder: TokenHolder | undefined): void {
  if (holder === undefined) throw untoldFault(record, 'no entry tells who holds its token')
  compare(record, created, { ...holder })
}

/** Only the completion of an authorized action has these flags. */
const UNFLAGGED = { over_budget: undefined, exceeded: undefined, completed_after_revocation: undefined }

function assertPending(record: ClaimedRecord, created: ProvenLeaf): void {
  const nothing = { result: undefined, result_hash: undefined, completed_at: undefined }
  const { entry } = created
  compare(record, created, {
    ...nothing,
    ...UNFLAGGED,
    state: 'pending',
    spend_usd: spendOf(entry),
    evidence: evidenceOf(entry),
  })
}

/** Checks a record that was created and completed in one call. */
function assertOutcome(record: ClaimedRecord, leaf: ProvenLeaf): void {
  const { result, result_hash, at } = leaf.entry
  const outcome = { state: 'completed', result, result_hash, completed_at: at }
  const spend_usd = spendOf(leaf.entry)
  const evidence = evidenceOf(leaf.entry)
  compare(record, leaf, { ...outcome, ...UNFLAGGED, spend_usd, evidence, completed_log_index: leaf.index })
}

function assertClosed(record: ClaimedRecord, created: ProvenLeaf, closed: ProvenLeaf): void {
  const { type, at, result, result_hash, over_budget, exceeded, completed_after_revocation } = closed.entry
  if (closed.entry.authorized_index !== created.index)
    throw untoldFault(record, `entry ${closed.index} closes another record`)
  compare(record, closed, {
    state: type.slice('action.'.length),
    completed_at: at,
    result,
    result_hash,
    over_budget,
    exceeded,
    completed_after_revocation,
    spend_usd: spendOf(closed.entry),
    evidence: evidenceOf(type === 'action.expired' ? created.entry : closed.entry),
  })
}

function assertRated(record: ClaimedRecord, leaf: ProvenLeaf): void {
  const { rating, rater_assurance, at } = leaf.entry
  compare(record, leaf, { rating, rater_assurance, feedback_at: at })
}

function assertUnrated(record: ClaimedRecord, leaf: ProvenLeaf): void {
  compare(record, leaf, { rating: undefined, rater_assurance: undefined, feedback_at: undefined })
}

/** Leaves omit a spend of zero. */
function spendOf({ spend_usd }: LogEntryContent): unknown {
  return spend_usd ?? 0
}

/** Leaves omit `evidence` when it is `self_reported`. */
function evidenceOf({ evidence }: LogEntryContent): unknown {
  return evidence ?? 'self_reported'
}

function compare(record: ClaimedRecord, { index }: ProvenLeaf, told: Record<string, unknown>): void {
  const name = Object.keys(told).find((member) => record[member] !== told[member])
  if (name !== undefined) throw untoldFault(record, `its ${name} is not that of entry ${index}`)
}

function untoldFault(record: ClaimedRecord, what: string): LogFault {
  return new LogFault('record_untold', `Record ${record.aar_id} at ${record.log_index}: ${what}.`)
}
