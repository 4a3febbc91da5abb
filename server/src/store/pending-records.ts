import type { StoredRecord } from '../domain/record.ts'
import type { Changes } from './port/changes.ts'

const REMEMBERED = 10_000
/** A record with longer metadata is read again. */
const LONGEST_METADATA = 1_000

/** The newest pending records that a writer has written, so that closing one reads nothing. */
export class PendingRecords {
  readonly #known = new Map<string, StoredRecord>()

  /** A copy, which judges may change. Undefined if it has to be read. */
  get(aar_id: string): StoredRecord | undefined {
    const known = this.#known.get(aar_id)
    return known === undefined ? undefined : { ...known }
  }

  /** Takes over what a batch has written. */
  note({ created, closed, ratings, erased }: Changes): void {
    if (erased.size > 0) this.forget() // the metadata of a person was erased
    for (const { aar_id } of closed) this.#known.delete(aar_id)
    for (const record of created) if (isRemembered(record)) this.#add(record)
    for (const { record } of ratings) this.#known.delete(record.aar_id)
  }

  forget(): void {
    this.#known.clear()
  }

  #add(record: StoredRecord): void {
    this.#known.set(record.aar_id, record)
    if (this.#known.size <= REMEMBERED) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}

function isRemembered({ state, metadata }: StoredRecord): boolean {
  return state === 'pending' && (metadata?.length ?? 0) <= LONGEST_METADATA
}
