/** A proof pack: one workflow as a JSON Lines file that can be checked without the service. */
import { isObject, JsonError, readJson } from '../encoding/json.ts'
import { believeCheckpoint } from './believe-checkpoint.ts'
import type { SignedCheckpoint } from './checkpoint.ts'
import { type LogEntryContent, readEntry } from './entry.ts'
import { LogFault } from './faults.ts'
import { verifyInclusionOf } from './inclusion.ts'
import { vkeyOf } from './note.ts'
import { pinnedKey } from './pinned-key.ts'
import { type FileTrust, isIndex, isTextList } from './receipt.ts'
import { type ClaimedRecord, toldRecords } from './record-timeline.ts'

export const PACK_FORMAT = 'deputy-proof-pack'
const PACK_VERSION = 1
/** A record may contain metadata as deep as a request's, two levels further down. */
const LINE_LIMITS = { depth: 20 }

export interface SoundPack {
  readonly provenance_ref: string
  readonly checkpoint: SignedCheckpoint
  readonly vkey: string
  /** Whether the key was pinned beforehand; otherwise the pack is only consistent with itself. */
  readonly pinned: boolean
  readonly entries: number
  readonly records: number
  /** Leaves of vouches for its agents. Only an audit of the log shows whether there are others. */
  readonly vouches: number
  /** The log indexes of its entries, ascending. Only an audit of the log shows whether the list is complete. */
  readonly indexes: readonly number[]
}

/**
 * Members of a record that a pack does not prove. Personal data (`note`, `metadata`) is in the log only as a keyed digest,
 * `root_token` is not in it, and `trace_id` and `expires_at` are not compared.
 */
export const UNPROVEN_MEMBERS = ['note', 'metadata', 'root_token', 'trace_id', 'expires_at'] as const

/**
 * Verifies a proof pack offline: every leaf belongs to the workflow, is in the tree that the log signed, and is in
 * order; every record matches its leaves, and every leaf about a record has a matching record. Leaves of vouches are in
 * the same tree and concern an agent of the workflow. Throws a LogFault.
 *
 * These members of a record are compared: aar_id, provenance_ref, agent_id, human_ref, assurance_level, trust_score,
 * delegation_depth, action, resource, token, parent_aar_id, state, result, result_hash, spend_usd, evidence, the flags
 * of its completion, rating, rater_assurance, all times, and leaf_hash; members that no leaf states must be absent. The
 * others are `UNPROVEN_MEMBERS`.
 */
export async function verifyProofPack(lines: AsyncIterable<string>, trust: FileTrust): Promise<SoundPack> {
  const verifier = proofPackVerifier(trust)
  for await (const line of lines) await verifier.take(line)
  return verifier.finish()
}

/** An entry of a pack whose place in the log is proven. */
export type OnPackEntry = (index: number, entry: LogEntryContent) => void

/** Verifies a proof pack line by line, as `verifyProofPack` does, and hands out each entry. */
export interface ProofPackVerifier {
  take(line: string): Promise<void>
  finish(): SoundPack
}

export function proofPackVerifier(trust: FileTrust, onEntry: OnPackEntry = () => {}): ProofPackVerifier {
  let pack: Awaited<ReturnType<typeof openPack>> | undefined
  let number = 0
  return {
    async take(line) {
      number += 1
      if (pack === undefined) pack = await openPack(line, trust, onEntry)
      else pack.body.take(line, number)
    },
    finish() {
      if (pack === undefined) throw malformed(1)
      return { ...pack.sound, ...pack.body.finish() }
    },
  }
}

/** Reads the first line, which names the log and the checkpoint that the other lines are verified against. */
async function openPack(line: string, trust: FileTrust, onEntry: OnPackEntry) {
  const { provenance_ref, ...header } = readHeader(line)
  const log = pinnedKey(header, trust.log, 'pack_malformed')
  const checkpoint = await believeCheckpoint(header.checkpoint, { ...trust, log })
  const sound = { provenance_ref, checkpoint, vkey: vkeyOf(log), pinned: trust.log !== undefined }
  return { sound, body: packBody(provenance_ref, checkpoint, onEntry) }
}

/** Verifies the lines after the first. */
function packBody(provenance_ref: string, checkpoint: SignedCheckpoint, onEntry: OnPackEntry) {
  const indexes: number[] = []
  const told = toldRecords()
  const agents = new Set<unknown>()
  const vouches = new Map<number, unknown>()
  let records = 0
  let last_record = -1
  let is_ended = false

  function takeEntry(line: Record<string, unknown>, number: number): void {
    const { index, leaf, proof } = line
    if (!isIndex(index) || typeof leaf !== 'string' || !isTextList(proof)) throw malformed(number)
    assertAfter(index, indexes.at(-1) ?? -1, number)
    if (records > 0) throw new LogFault('pack_out_of_order', `Line ${number}: an entry after the records.`)
    verifyInclusionOf({ leaf, index, proof, checkpoint })
    const entry = readEntry(leaf, index)
    if (entry.provenance_ref !== provenance_ref)
      throw new LogFault('pack_of_another_workflow', `Line ${number}: entry ${index}.`)
    indexes.push(index)
    agents.add(entry.agent_id)
    told.add({ index, text: leaf, entry })
    onEntry(index, entry)
  }

  function takeRecord(record: unknown, number: number): void {
    if (!isClaimedRecord(record)) throw malformed(number)
    assertAfter(record.log_index, last_record, number)
    told.assertTold(record)
    last_record = record.log_index
    records += 1
  }

  /** A leaf that makes a vouch for an agent of the workflow, or changes or withdraws one that is in the pack. */
  function takeVouch(value: unknown, number: number): void {
    if (!isObject(value)) throw malformed(number)
    const { index, leaf, proof } = value
    if (!isIndex(index) || typeof leaf !== 'string' || !isTextList(proof)) throw malformed(number)
    if (vouches.has(index)) throw new LogFault('pack_repeated', `Line ${number}: ${index} again.`)
    verifyInclusionOf({ leaf, index, proof, checkpoint })
    const { type, vouch_id, to } = readEntry(leaf, index)
    const isOfWorkflow =
      type === 'vouch.made'
        ? isObject(to) && agents.has(to.agent_id)
        : (type === 'vouch.changed' || type === 'vouch.withdrawn') && [...vouches.values()].includes(vouch_id)
    if (!isOfWorkflow) throw new LogFault('pack_of_another_workflow', `Line ${number}: entry ${index}.`)
    vouches.set(index, vouch_id)
  }

  function takeEnd(line: Record<string, unknown>): void {
    is_ended = true
    if (line.entries !== indexes.length)
      throw new LogFault('pack_count_wrong', `It says ${line.entries} entries and has ${indexes.length}.`)
    if (line.records !== records)
      throw new LogFault('pack_count_wrong', `It says ${line.records} records and has ${records}.`)
    if ((line.vouches ?? 0) !== vouches.size)
      throw new LogFault('pack_count_wrong', `It says ${line.vouches} vouches and has ${vouches.size}.`)
    told.assertNothingHidden()
  }

  return {
    take(text: string, number: number): void {
      if (is_ended) throw new LogFault('pack_continues', `It is line ${number}.`)
      const line = readLine(text, number)
      if ('record' in line) takeRecord(line.record, number)
      else if ('vouch' in line) takeVouch(line.vouch, number)
      else if (line.end === true) takeEnd(line)
      else takeEntry(line, number)
    },
    finish() {
      if (!is_ended)
        throw new LogFault('pack_truncated', `It has ${indexes.length} entries and ${records} records.`)
      return { entries: indexes.length, records, vouches: vouches.size, indexes }
    },
  }
}

function assertAfter(index: number, before: number, number: number): void {
  if (index === before) throw new LogFault('pack_repeated', `Line ${number}: ${index} again.`)
  if (index < before) throw new LogFault('pack_out_of_order', `Line ${number}: ${index} after ${before}.`)
}

function isClaimedRecord(value: unknown): value is ClaimedRecord {
  return isObject(value) && isIndex(value.log_index)
}

function readHeader(text: string) {
  const { format, version, provenance_ref, origin, vkey, checkpoint } = readLine(text, 1)
  if (format !== PACK_FORMAT) throw malformed(1)
  if (version !== PACK_VERSION) throw new LogFault('pack_version', `It is version ${version}.`)
  if (typeof provenance_ref !== 'string' || typeof origin !== 'string') throw malformed(1)
  if (typeof vkey !== 'string' || typeof checkpoint !== 'string') throw malformed(1)
  return { provenance_ref, origin, vkey, checkpoint }
}

function readLine(text: string, number: number): Record<string, unknown> {
  try {
    const value = readJson(text, LINE_LIMITS)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
  }
  throw malformed(number)
}

function malformed(number: number): LogFault {
  return new LogFault('pack_malformed', `It is line ${number}.`)
}
