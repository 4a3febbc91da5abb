/** Texts by number, outside of the heap: a garbage collector lets a heap of many texts grow to several times their size. */
export interface KeptTexts {
  readonly size: number
  set(index: number, text: string): void
  get(index: number): string | undefined
  delete(index: number): void
  /** The one that was added first. */
  first(): number | undefined
}

const BLOCK_BYTES = 1024 * 1024
/** Of a character of UTF-16 in UTF-8. */
const MOST_BYTES = 3

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Keeps texts without unpaired surrogates. The memory of deleted ones is freed with all of it. */
export function keptTexts(): KeptTexts {
  const blocks: Uint8Array[] = []
  const places = new Map<number, Uint8Array>()
  let used = BLOCK_BYTES

  function roomFor(bytes: number): Uint8Array {
    if (used + bytes > (blocks.at(-1)?.length ?? 0)) {
      blocks.push(new Uint8Array(Math.max(BLOCK_BYTES, bytes)))
      used = 0
    }
    return (blocks.at(-1) ?? new Uint8Array()).subarray(used, used + bytes)
  }

  return {
    get size() {
      return places.size
    },
    set(index, text) {
      const room = roomFor(text.length * MOST_BYTES)
      const { written } = encoder.encodeInto(text, room)
      places.set(index, room.subarray(0, written))
      used += written
    },
    get(index) {
      const bytes = places.get(index)
      return bytes === undefined ? undefined : decoder.decode(bytes)
    },
    delete(index) {
      places.delete(index)
    },
    first: () => places.keys().next().value,
  }
}
