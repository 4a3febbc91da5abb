import { publicRecord } from './public-record.ts'
import type { Snapshot } from './snapshot.ts'

/** Yields one record per line. */
export async function* ndjson({ records }: Snapshot): AsyncGenerator<string> {
  for await (const record of records()) yield `${JSON.stringify(publicRecord(record))}\n`
}
