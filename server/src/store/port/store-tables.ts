/**
 * All tables of a store at one moment, for a complete check.
 *
 * Promises: it changes nothing; every query sees the same snapshot; rows are streamed one by one. Rows that can't be
 * read reject with a DamagedStore.
 */
export interface StoreTables {
  /** A store that nodes share has additional tables and columns for coordination. */
  readonly kind: 'embedded' | 'shared'
  rows(sql: string): AsyncIterable<TableRow>
  /** Differences from a new store in tables, indexes and triggers, and damaged pages. */
  formFaults(): Promise<FormFault[]>
  /** Rejects if the reads may not have seen a single snapshot. */
  close(): Promise<void>
}

/** A row as stored, by column. */
export type TableRow = Readonly<Record<string, unknown>>

/** A fault in the form of a store, found before its rows are read. */
export interface FormFault {
  /** The table, index or trigger. */
  readonly name: string
  readonly sentence: string
}

/** This version can't read the store, at least not now. The message says what to do. */
export class UnreadableStore extends Error {
  override readonly name = 'UnreadableStore'
}

/** Part of the store cannot be read at all. */
export class DamagedStore extends Error {
  override readonly name = 'DamagedStore'
}
