/**
 * Texts by number, stored outside the heap: a garbage collector lets a heap of many texts grow to several times their
 * size.
 */
export interface KeptTexts {
  set(index: number, text: string): void
  get(index: number): string | undefined
  delete(index: number): void
  /** The number that was added first. */
  first(): number | undefined
}

const BLOCK_BYTES = 1024 * 1024
/** The most UTF-8 bytes of a UTF-16 code unit. */
const MOST_BYTES = 3
/** A place is the number of a block and an offset in it, as one number. Each text follows its length. */
const PLACE_BASE = 2 ** 32
const LENGTH_BYTES = 4

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Stores texts without unpaired surrogates. The memory of deleted ones is freed only with the whole store. */
export function keptTexts(): KeptTexts {
  const blocks: DataView<ArrayBuffer>[] = []
  const places = new Map<number, number>()
  let used = 0

  function blockFor(bytes: number): DataView<ArrayBuffer> {
    const last = blocks.at(-1)
    if (last !== undefined && used + bytes <= last.byteLength) return last
    const block = new DataView(new ArrayBuffer(Math.max(BLOCK_BYTES, bytes)))
    blocks.push(block)
    used = 0
    return block
  }

  return {
    set(index, text) {
      const block = blockFor(LENGTH_BYTES + text.length * MOST_BYTES)
      const { written } = encoder.encodeInto(text, new Uint8Array(block.buffer, used + LENGTH_BYTES))
      block.setUint32(used, written)
      places.set(index, (blocks.length - 1) * PLACE_BASE + used)
      used += LENGTH_BYTES + written
    },
    get(index) {
      const place = places.get(index)
      const block = place === undefined ? undefined : blocks[Math.floor(place / PLACE_BASE)]
      if (place === undefined || block === undefined) return undefined
      const start = place % PLACE_BASE
      return decoder.decode(new Uint8Array(block.buffer, start + LENGTH_BYTES, block.getUint32(start)))
    },
    delete(index) {
      places.delete(index)
    },
    first: () => places.keys().next().value,
  }
}
