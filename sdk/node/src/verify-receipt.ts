import { LogFault } from '../../../protocol/src/log/faults.ts'
import { NoteError, readVkey } from '../../../protocol/src/log/note.ts'
import { verifyReceipt as judge } from '../../../protocol/src/log/receipt.ts'

/** Whom to believe: the log, and witnesses if some are named. */
export interface ReceiptTrust {
  /** The key of the log (`vkey`), pinned beforehand. Without it a receipt only agrees with itself. */
  readonly log?: string | undefined
  /** Keys of witnesses. */
  readonly witnesses?: readonly string[] | undefined
  /** How many of the witnesses must have signed; all of them when absent. */
  readonly quorum?: number | undefined
}

/** What the log says in one place. */
export interface ReceiptEntry {
  readonly kind: 'created' | 'completed' | 'rated'
  readonly index: number
  /** What the log tells, as it was hashed. */
  readonly entry: Readonly<Record<string, unknown>>
}

/** What a receipt proves. */
export interface SoundReceipt {
  readonly aar_id: string
  readonly vkey: string
  /** Whether the key was pinned; otherwise the receipt only agrees with itself. */
  readonly pinned: boolean
  /** How many entries the log had when it was signed. */
  readonly log_size: number
  readonly entries: readonly ReceiptEntry[]
}

/** The receipt is untrue. `code` says in which way. */
export class ReceiptRefused extends Error {
  readonly code: string

  constructor(code: string, detail: string) {
    super(detail)
    this.name = 'ReceiptRefused'
    this.code = code
  }
}

/** Judges a receipt by itself: no network, and nothing believed but keys. */
export async function verifyReceipt(receipt: unknown, trust: ReceiptTrust = {}): Promise<SoundReceipt> {
  try {
    const { aar_id, vkey, pinned, checkpoint, entries } = await judge(receipt, {
      log: trust.log === undefined ? undefined : readVkey(trust.log),
      witnesses: trust.witnesses?.map(readVkey),
      quorum: trust.quorum,
    })
    return { aar_id, vkey, pinned, log_size: checkpoint.size, entries }
  } catch (error) {
    if (error instanceof LogFault) throw new ReceiptRefused(error.fault, error.message)
    if (error instanceof NoteError) throw new TypeError(`A key is malformed. ${error.message}`)
    throw error
  }
}
