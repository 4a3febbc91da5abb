import type { DatabaseSync } from 'node:sqlite'
import type { NewReplay, StoredReplay } from '../port.ts'
import { replayOf, sealedReplay } from '../rows/replays.ts'
import type { People } from './people.ts'
import type { FieldOpener } from './sealed-fields.ts'

/** Answers that are repeated when a request is: each part sealed for its person, all parts in one value. */
export interface Replays {
  /** Undefined as well when a part can no longer be read: whoever it was for was erased. */
  find(key: string, now_ms: number): StoredReplay | undefined
  write(replay: NewReplay): void
  forgetBefore(ms: number): void
}

export function replayStore(db: DatabaseSync, people: People, open: FieldOpener): Replays {
  const byKey = db.prepare('SELECT * FROM replays WHERE replay_key = ? AND expires_at_ms > ?')
  const upsert = db.prepare(`
    INSERT INTO replays (replay_key, fingerprint, outcome, expires_at_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, outcome = excluded.outcome,
      expires_at_ms = excluded.expires_at_ms`)
  const forget = db.prepare('DELETE FROM replays WHERE expires_at_ms <= ?')

  return {
    find(key, now_ms) {
      const row = byKey.get(key, now_ms)
      return row === undefined ? undefined : replayOf(row, open)
    },
    write: (replay) =>
      void upsert.run(
        replay.key,
        replay.fingerprint,
        sealedReplay(replay, people.seal),
        replay.expires_at_ms,
      ),
    forgetBefore: (ms) => void forget.run(ms),
  }
}
