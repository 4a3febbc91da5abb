import type { NewReplay } from '../port/changes.ts'
import type { StoredReplay } from '../port/write-store.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import type { Row } from '../values.ts'
import type { Place } from '../vault.ts'
import type { RowKeys } from './row-keys.ts'
import type { Opened } from './sealed-fields.ts'

/** Returns a row of `replays`. */
export function replayRow(
  replay: NewReplay,
  keys: Pick<RowKeys, 'seal' | 'stamp' | 'replay'>,
): RowOf<'replays'> {
  const { fingerprint, expires_at_ms } = replay
  const key = keys.replay(replay)
  const outcome = sealedReplay({ ...replay, key }, keys)
  return { replay_key: key, fingerprint, outcome, expires_at_ms }
}

/** Returns the stored value: for each part its length in four bytes, then the part, stamped or sealed for its person. */
export function sealedReplay(
  replay: NewReplay,
  { seal, stamp }: Pick<RowKeys, 'seal' | 'stamp'>,
): Uint8Array {
  const { parts } = replay
  const placeOf = placesOf(replay, parts.length)
  const sealed = parts.map(({ human_ref, outcome, is_open }, index) =>
    is_open === true ? stamp(placeOf(index), outcome) : seal(human_ref, placeOf(index), outcome),
  )
  return Buffer.concat(sealed.flatMap((part) => [lengthOf(part), part]))
}

const readReplay = rowReader('replays')

/** Reads a row of `replays`. Undefined if a part can no longer be read because its person was erased. */
export function replayOf(
  row: Row,
  open: (sealed: Uint8Array, place: Place) => Opened,
): StoredReplay | undefined {
  const { replay_key: key, fingerprint, outcome, expires_at_ms } = readReplay(row)
  const parts = partsOf(outcome)
  const placeOf = placesOf({ key, fingerprint, expires_at_ms }, parts.length)
  const outcomes = parts.flatMap((part, index) => open(part, placeOf(index)).text ?? [])
  return outcomes.length < parts.length ? undefined : { fingerprint, outcomes }
}

/** Returns the sealed parts of a value. Throws a RangeError if their lengths don't add up to its length. */
export function partsOf(value: Uint8Array): Uint8Array[] {
  const all = Buffer.from(value.buffer, value.byteOffset, value.length)
  const parts: Uint8Array[] = []
  for (let at = 0; at < all.length; ) {
    const end = at + 4 + all.readUInt32BE(at)
    if (end > all.length) throw new RangeError('a part of a stored answer is cut off: the data is damaged')
    parts.push(all.subarray(at + 4, end))
    at = end
  }
  return parts
}

function lengthOf(part: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}

/** Binds a part to its request, expiry and position, so that it can't be opened elsewhere. */
export function placesOf(
  { key, fingerprint, expires_at_ms }: Omit<NewReplay, 'parts'>,
  count: number,
): (index: number) => Place {
  return (index) => ({ kind: 'replay', row: [key, fingerprint, expires_at_ms, index, count].join('|') })
}
