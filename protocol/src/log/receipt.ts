/** A receipt: the log entries of one record, each with its proof. */

import { encodeBase64 } from '../encoding/base64.ts'
import { isObject } from '../encoding/json.ts'
import { believeCheckpoint, type Trust } from './believe-checkpoint.ts'
import type { SignedCheckpoint } from './checkpoint.ts'
import { type LogEntryContent, readEntry } from './entry.ts'
import { LogFault } from './faults.ts'
import { verifyInclusionOf } from './inclusion.ts'
import { leafHash } from './merkle.ts'
import { vkeyOf } from './note.ts'
import { pinnedKey } from './pinned-key.ts'

/** The leaf types allowed for each kind of entry. */
export const MOMENTS = {
  created: ['action.authorized', 'action.recorded'],
  completed: ['action.completed', 'action.cancelled', 'action.expired'],
  rated: ['action.rated'],
} as const
export type Moment = keyof typeof MOMENTS

/** Like `Trust`, but without a pinned log key the file's own key is used. */
export type FileTrust = Omit<Trust, 'log'> & { readonly log?: Trust['log'] | undefined }

export interface CheckedReceiptEntry {
  readonly kind: Moment
  readonly index: number
  readonly entry: LogEntryContent
}

export interface CheckedReceipt {
  readonly aar_id: string
  readonly checkpoint: SignedCheckpoint
  readonly vkey: string
  /** Whether the key was pinned beforehand; otherwise the receipt is only consistent with itself. */
  readonly pinned: boolean
  readonly entries: readonly CheckedReceiptEntry[]
}

/** Verifies a parsed receipt offline, trusting only keys. Throws a LogFault. */
export async function checkReceipt(receipt: unknown, trust: FileTrust): Promise<CheckedReceipt> {
  const { aar_id, origin, vkey, entries, checkpoint: note } = readReceipt(receipt)
  const log = pinnedKey({ origin, vkey }, trust.log, 'receipt_malformed')
  const checkpoint = await believeCheckpoint(note, { ...trust, log })
  const sound = entries.map((entry) => soundEntry(entry, aar_id, checkpoint))
  assertMoments(sound)
  return { aar_id, checkpoint, vkey: vkeyOf(log), pinned: trust.log !== undefined, entries: sound }
}

interface ReceiptLine {
  readonly kind: Moment
  readonly index: number
  readonly leaf: string
  readonly leaf_hash: string
  readonly proof: readonly string[]
}

function soundEntry(line: ReceiptLine, aar_id: string, checkpoint: SignedCheckpoint): CheckedReceiptEntry {
  const { kind, index, leaf, leaf_hash, proof } = line
  if (encodeBase64(leafHash(leaf)) !== leaf_hash)
    throw new LogFault('leaf_hash_wrong', `It is entry ${index}.`)
  verifyInclusionOf({ leaf, index, proof, checkpoint })
  const entry = readEntry(leaf, index)
  if (entry.aar_id !== aar_id)
    throw new LogFault('receipt_of_another_record', `Entry ${index} is not of ${aar_id}.`)
  if (!MOMENTS[kind].some((type) => type === entry.type))
    throw new LogFault('receipt_kind_wrong', `Entry ${index} is ${entry.type}, not ${kind}.`)
  return { kind, index, entry }
}

function assertMoments(entries: readonly CheckedReceiptEntry[]): void {
  const kinds = entries.map(({ kind }) => kind)
  if (new Set(kinds).size < kinds.length)
    throw new LogFault('receipt_repeated', `It shows ${kinds.join(', ')}.`)
  if (!kinds.includes('created')) throw new LogFault('receipt_incomplete', `It shows ${kinds.join(', ')}.`)
}

function readReceipt(value: unknown) {
  if (!isObject(value)) throw malformed('It is not an object.')
  const { aar_id, origin, vkey, entries, checkpoint } = value
  if (typeof aar_id !== 'string' || typeof origin !== 'string' || typeof vkey !== 'string')
    throw malformed('It lacks aar_id, origin or vkey.')
  if (typeof checkpoint !== 'string' || !Array.isArray(entries) || entries.length === 0)
    throw malformed('It lacks a checkpoint or entries.')
  return { aar_id, origin, vkey, checkpoint, entries: entries.map(readLine) }
}

function readLine(value: unknown): ReceiptLine {
  if (!isObject(value)) throw malformed('An entry is not an object.')
  const { kind, index, leaf, leaf_hash, proof } = value
  if (!isMoment(kind) || !isIndex(index) || typeof leaf !== 'string')
    throw malformed('An entry lacks a known kind, an index or a leaf.')
  if (typeof leaf_hash !== 'string' || !isTextList(proof))
    throw malformed(`Entry ${index} lacks a leaf hash or a proof.`)
  return { kind, index, leaf, leaf_hash, proof }
}

function isMoment(value: unknown): value is Moment {
  return typeof value === 'string' && Object.hasOwn(MOMENTS, value)
}

export function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function malformed(place: string): LogFault {
  return new LogFault('receipt_malformed', place)
}
