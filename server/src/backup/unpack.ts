import type { FreshStore } from '../store/archive/fresh-file.ts'
import type { Row } from '../store/values.ts'
import type { OnRows, Opening, TableDigests } from './archive.ts'
import type { BackupFile } from './backup-file.ts'
import { BackupUnreadable } from './sealed-file.ts'

export interface Unpacked {
  readonly opening: Opening
  readonly tables: TableDigests
}

/** Reads a whole backup, into a store if there is one. Throws if the file was changed or cut. */
export async function unpack(
  backup: BackupFile,
  storeFor: (opening: Opening) => Promise<FreshStore> | FreshStore | undefined,
  onRows: OnRows,
): Promise<Unpacked> {
  let opening: Opening | undefined
  let store: FreshStore | undefined
  const { size } = backup.manifest.log
  let shape = (row: Row): Row => row
  try {
    const tables = await backup.read(
      {
        async opening(found) {
          opening = found
          store = await storeFor(found)
        },
        table(table) {
          shape = table.table === 'delivery_endpoints' ? (row) => freed(row, size) : (row) => row
          return store?.beginTable(table)
        },
        row: (row) => store?.insert(shape(row)),
      },
      onRows,
    )
    if (opening === undefined || opening.head.frontier.size !== size)
      throw new BackupUnreadable(
        'The manifest does not belong to the content of the backup. Use another copy.',
      )
    await store?.finish(opening.head)
    return { opening, tables }
  } finally {
    await store?.close()
  }
}

/** Releases an endpoint, because no node holds it after a restore, and keeps it within the log. */
function freed(row: Row, log_size: number): Row {
  return { ...row, holder: null, held_until_ms: 0, next_index: Math.min(Number(row.next_index), log_size) }
}
