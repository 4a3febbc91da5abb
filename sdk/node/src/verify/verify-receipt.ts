import { LogFault } from '../../../../protocol/src/log/faults.ts'
import { NoteError, readVkey } from '../../../../protocol/src/log/note.ts'
import { checkReceipt } from '../../../../protocol/src/log/receipt.ts'
import { checkOptions } from '../options.ts'

/** The keys to trust: the key of the log and, optionally, keys of witnesses. */
export interface ReceiptTrust {
  /** The pinned key of the log (`vkey`). Without it, the receipt is only checked against the key it contains. */
  readonly log?: string | undefined
  /** The keys of witnesses (`vkey`). */
  readonly witnesses?: readonly string[] | undefined
  /** How many of the witnesses must have signed. Default: all of them. */
  readonly quorum?: number | undefined
}

const TRUST_MEMBERS: Record<keyof ReceiptTrust, true> = { log: true, witnesses: true, quorum: true }

/** One log entry about the action record. */
export interface ReceiptEntry {
  readonly kind: 'created' | 'completed' | 'rated'
  readonly index: number
  /** The content of the log entry, as it was hashed. */
  readonly entry: Readonly<Record<string, unknown>>
}

/** What a receipt proves. */
export interface SoundReceipt {
  readonly aar_id: string
  readonly vkey: string
  /** Whether you pinned the key of the log. If false, the receipt was only checked against the key it contains. */
  readonly pinned: boolean
  /** The number of log entries at the signed checkpoint. */
  readonly log_size: number
  readonly entries: readonly ReceiptEntry[]
}

/** The receipt failed verification; `code` says which check. */
export class ReceiptRefused extends Error {
  readonly code: string

  constructor(code: string, detail: string) {
    super(detail)
    this.name = 'ReceiptRefused'
    this.code = code
  }
}

/**
 * Verifies a receipt offline: the log holds the action record, and the signed checkpoint covers it. Throws `ReceiptRefused`
 * if a check fails, and a TypeError if a key is malformed.
 *
 * @example
 * ```ts
 * import { deputy, verifyReceipt } from '@deputize/sdk'
 *
 * const client = deputy({ url: 'http://127.0.0.1:8420' })
 * const token = await client.issueL1({
 *   developer_email: 'dev@example.com',
 *   agent_id: 'calendar-bot',
 *   resources: ['calendar:events'],
 *   actions: ['read'],
 * })
 * const { aar_id } = await client.recordAction({
 *   vat_jti: token.jti,
 *   action: 'read',
 *   resource: 'calendar:events',
 *   result: 'success',
 * })
 * const receipt = await client.getReceipt({ id: aar_id })
 * // In production, pin the key of the log instead: { log: 'deputy.example/log+...' }
 * const { entries } = await verifyReceipt(receipt)
 * console.log(entries.map(({ kind }) => kind)) // [ 'created' ]
 * ```
 */
export async function verifyReceipt(receipt: unknown, trust: ReceiptTrust = {}): Promise<SoundReceipt> {
  checkOptions(trust, TRUST_MEMBERS)
  try {
    const { aar_id, vkey, pinned, checkpoint, entries } = await checkReceipt(receipt, {
      log: trust.log === undefined ? undefined : readVkey(trust.log),
      witnesses: trust.witnesses?.map(readVkey),
      quorum: trust.quorum,
    })
    return { aar_id, vkey, pinned, log_size: checkpoint.size, entries }
  } catch (error) {
    if (error instanceof LogFault) throw new ReceiptRefused(error.fault, error.message)
    if (error instanceof NoteError)
      throw new TypeError(`A key in trust is not a valid vkey. ${error.message}`)
    throw error
  }
}
