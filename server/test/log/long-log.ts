import { join } from 'node:path'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { BatchState } from '../../src/clerk/batch-state.ts'
import { needsOf } from '../../src/clerk/judge.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'

const BATCH = 5_000
export const VAULT_KEY: Uint8Array = new Uint8Array(32).fill(7)

export interface LongLog {
  readonly file: string
  readonly writer: WriteStore
  readonly reader: ReadStore
  /** Appends leaves, in batches as the clerk does. */
  grow(leaves: number): Promise<void>
  close(): Promise<void>
}

/** A real store whose log can be made as long as a test needs. */
export async function aLongLog(scope: TestScope, leaves: number): Promise<LongLog> {
  const directory = temporaryDirectory(scope)
  const file = join(directory, 'deputy.db')
  const writer = sqliteWriteStore({ file, instance: 'test', vault_key: VAULT_KEY, clock: manualClock() })
  const reader = sqliteReadStore(file, VAULT_KEY)
  let count = 0
  let isOpen = true

  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await reader.close()
    await writer.close()
  }
  scope.after(close)

  async function grow(more: number): Promise<void> {
    for (let left = more; left > 0; left -= BATCH) {
      await writer.transact(needsOf([]), (facts) => {
        const batch = new BatchState(facts)
        for (let index = 0; index < Math.min(BATCH, left); index += 1)
          batch.appendLeaf('key.rotated', { kid: `key-${count++}` })
        return { changes: batch.changes, result: undefined }
      })
    }
  }
  await grow(leaves)
  return { file, writer, reader, grow, close }
}
