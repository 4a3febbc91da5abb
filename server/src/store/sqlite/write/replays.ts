import type { DatabaseSync } from 'node:sqlite'
import type { StoredReplay } from '../../port/write-store.ts'
import { replayOf } from '../../rows/replays.ts'
import type { FieldOpener } from '../read/sealed-fields.ts'

/** Finds stored answers. Also undefined if a part can no longer be read because its person was erased. */
export function replayReader(
  db: DatabaseSync,
  open: FieldOpener,
): (key: string, now_ms: number) => StoredReplay | undefined {
  const byKey = db.prepare('SELECT * FROM replays WHERE replay_key = ? AND expires_at_ms > ?')
  return (key, now_ms) => {
    const row = byKey.get(key, now_ms)
    return row && replayOf(row, open)
  }
}
