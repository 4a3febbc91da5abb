import type { NewReplay, StoredReplay } from '../port.ts'
import { bytes, integer, type Row, text } from '../values.ts'
import type { Place } from '../vault.ts'
import type { Opened } from './sealed-fields.ts'

/** The value that is kept: for each part its length in four bytes, then the part, sealed for its person. */
export function sealedReplay(
  replay: NewReplay,
  seal: (human_ref: string | undefined, place: Place, text: string) => Uint8Array,
): Uint8Array {
  const { parts } = replay
  const placeOf = placesOf(replay, parts.length)
  const sealed = parts.map(({ human_ref, outcome }, index) => seal(human_ref, placeOf(index), outcome))
  return Buffer.concat(sealed.flatMap((part) => [lengthOf(part), part]))
}

/** A row of `replays`; undefined as well when a part can no longer be read: whoever it was for was erased. */
export function replayOf(
  row: Row,
  open: (sealed: Uint8Array, place: Place) => Opened,
): StoredReplay | undefined {
  const fingerprint = text(row.fingerprint)
  const parts = partsOf(bytes(row.outcome))
  const key = text(row.replay_key)
  const placeOf = placesOf({ key, fingerprint, expires_at_ms: integer(row.expires_at_ms) }, parts.length)
  const outcomes = parts.flatMap((part, index) => open(part, placeOf(index)).text ?? [])
  return outcomes.length < parts.length ? undefined : { fingerprint, outcomes }
}

/** The sealed parts of a value. Throws a RangeError when their lengths do not add up to it. */
export function partsOf(value: Uint8Array): Uint8Array[] {
  const all = Buffer.from(value.buffer, value.byteOffset, value.length)
  const parts: Uint8Array[] = []
  for (let at = 0; at < all.length; ) {
    const end = at + 4 + all.readUInt32BE(at)
    if (end > all.length) throw new RangeError('a part of a kept answer is cut off: the data is damaged')
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

/** A part belongs to its request, its end and its position among all parts, and is opened nowhere else. */
export function placesOf(
  { key, fingerprint, expires_at_ms }: Omit<NewReplay, 'parts'>,
  count: number,
): (index: number) => Place {
  return (index) => ({ kind: 'replay', row: [key, fingerprint, expires_at_ms, index, count].join('|') })
}
