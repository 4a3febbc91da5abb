import type { DatabaseSync } from 'node:sqlite'
import type { NewReplay, StoredReplay } from '../port.ts'
import { bytes, integer, text } from '../values.ts'
import type { Place } from '../vault.ts'
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
      if (row === undefined) return undefined
      const fingerprint = text(row.fingerprint)
      const parts = partsOf(bytes(row.outcome))
      const placeOf = placesOf({ key, fingerprint, expires_at_ms: integer(row.expires_at_ms) }, parts.length)
      const outcomes = parts.flatMap((part, index) => open(part, placeOf(index)).text ?? [])
      return outcomes.length < parts.length ? undefined : { fingerprint, outcomes }
    },
    write: (replay) =>
      void upsert.run(replay.key, replay.fingerprint, sealedReplay(replay, people), replay.expires_at_ms),
    forgetBefore: (ms) => void forget.run(ms),
  }
}

/** The value that is kept: for each part its length in four bytes, then the sealed part. */
export function sealedReplay(replay: NewReplay, people: People): Uint8Array {
  const { parts } = replay
  const placeOf = placesOf(replay, parts.length)
  const sealed = parts.map(({ human_ref, outcome }, index) => people.seal(human_ref, placeOf(index), outcome))
  return Buffer.concat(sealed.flatMap((part) => [lengthOf(part), part]))
}

function lengthOf(part: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}

function partsOf(value: Uint8Array): Uint8Array[] {
  const all = Buffer.from(value.buffer, value.byteOffset, value.length)
  const parts: Uint8Array[] = []
  for (let at = 0; at < all.length; ) {
    const end = at + 4 + all.readUInt32BE(at)
    parts.push(all.subarray(at + 4, end))
    at = end
  }
  return parts
}

/** A part belongs to its request, its end and its position among all parts, and is opened nowhere else. */
function placesOf(
  { key, fingerprint, expires_at_ms }: Omit<NewReplay, 'parts'>,
  count: number,
): (index: number) => Place {
  return (index) => ({ kind: 'replay', row: [key, fingerprint, expires_at_ms, index, count].join('|') })
}
