import type { StoredRecord } from '../domain/record.ts'
import type { Changes } from './port/changes.ts'

const REMEMBERED = 10_000

/**
 * The newest pending records that a writer has written, so that closing one needs no read. Records with metadata aren't
 * kept: personal data is never cached.
 */
export class PendingRecords {
  readonly #known = new Map<string, StoredRecord>()

  /** Returns a copy, which judges may change. Undefined if the record has to be read. */
  get(aar_id: string): StoredRecord | undefined {
    const known = this.#known.get(aar_id)
    return known === undefined ? undefined : { ...known }
  }

  /** Applies the changes that a batch has written. */
  note({ created, closed, ratings }: Changes): void {
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
  return state === 'pending' && metadata === undefined
}
