import { type Audit, auditLog, believeCheckpoint, type SignedCheckpoint } from '@deputize/protocol/verifier'
import type { LogContact } from './contact.ts'
import { httpLogReader } from './log-reader.ts'
import { otherStates } from './state.ts'
import { Unchecked } from './unchecked.ts'

/** The last checkpoint of the same log, by the same key, that another address has shown. */
interface SeenElsewhere {
  readonly address: string
  readonly checkpoint: SignedCheckpoint
}

/** What was seen of this log at other addresses. A log has one history, wherever it is served. */
export async function seenElsewhere({ file, key }: LogContact): Promise<SeenElsewhere[]> {
  const seen: SeenElsewhere[] = []
  for (const { address, note } of await otherStates(file, key))
    seen.push({ address, checkpoint: await believeCheckpoint(note, { log: key }) })
  return seen
}

/** Throws a LogFault unless the audited log contains everything shorter that was seen elsewhere. */
export async function assertContains(
  { reader, key }: LogContact,
  { checkpoint }: Audit,
  seen: readonly SeenElsewhere[],
): Promise<void> {
  const anchors = seen.map((one) => one.checkpoint).filter(({ size }) => size <= checkpoint.size)
  if (anchors.length > 0) await auditLog({ read: reader.read, log: key, hashes_only: true, anchors })
}

/**
 * Throws a LogFault unless every longer log that was seen elsewhere contains the audited one. The hashes of the longer
 * log are read again for that. Throws Unchecked if they cannot be read.
 */
export async function assertContained(
  { key, address }: LogContact,
  { checkpoint }: Audit,
  seen: readonly SeenElsewhere[],
): Promise<void> {
  for (const longer of seen.filter((one) => one.checkpoint.size > checkpoint.size)) {
    const reader = httpLogReader(new URL(longer.address), undefined)
    try {
      await auditLog({ read: reader.read, log: key, hashes_only: true, anchors: [checkpoint] })
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      throw new Unchecked(
        `The log at ${address.href} is sound by itself, but ${longer.address} has shown more entries of it, and the two could not be compared: ${error.message}`,
      )
    } finally {
      reader.close()
    }
  }
}
