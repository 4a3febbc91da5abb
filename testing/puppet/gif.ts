import { type Bitmap, blankBitmap } from './bitmap.ts'

/** Reads the frames of an animated GIF (GIF89a), each drawn over the previous one. */
export function readGif(bytes: Buffer): Bitmap[] {
  if (bytes.toString('latin1', 0, 3) !== 'GIF') throw new Error('This is not a GIF.')
  const canvas = blankBitmap(bytes.readUInt16LE(6), bytes.readUInt16LE(8))
  const common = tableAt(bytes, 13, bytes[10] ?? 0)
  const frames: Bitmap[] = []
  let at = 13 + common.length
  let transparent = -1
  while (bytes[at] !== 0x3b && at < bytes.length) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) transparent = ((bytes[at + 3] ?? 0) & 1) === 1 ? (bytes[at + 6] ?? 0) : -1
      at = blocksAt(bytes, at + 2).end
      continue
    }
    const own = tableAt(bytes, at + 10, bytes[at + 9] ?? 0)
    const data = blocksAt(bytes, at + 11 + own.length)
    const indexes = unpacked(data.bytes, bytes[at + 10 + own.length] ?? 8)
    paint(canvas, bytes.subarray(at + 1, at + 9), indexes, own.length > 0 ? own : common, transparent)
    frames.push({ ...canvas, rgb: canvas.rgb.slice() })
    at = data.end
  }
  return frames
}

function tableAt(bytes: Buffer, at: number, flags: number): Buffer {
  return bytes.subarray(at, at + ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)))
}

function blocksAt(bytes: Buffer, start: number): { readonly bytes: Buffer; readonly end: number } {
  const parts: Buffer[] = []
  let at = start
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    parts.push(bytes.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return { bytes: Buffer.concat(parts), end: at + 1 }
}

function paint(
  canvas: Bitmap,
  box: Buffer,
  indexes: readonly number[],
  colors: Buffer,
  transparent: number,
): void {
  const [left, top, width] = [box.readUInt16LE(0), box.readUInt16LE(2), box.readUInt16LE(4)]
  indexes.forEach((index, i) => {
    if (index === transparent) return
    const at = ((top + Math.floor(i / width)) * canvas.width + left + (i % width)) * 3
    for (let c = 0; c < 3; c++) canvas.rgb[at + c] = colors[index * 3 + c] ?? 0
  })
}

/** LZW with codes of growing length. */
function unpacked(data: Buffer, bits: number): number[] {
  const clear = 1 << bits
  const fresh = () => Array.from({ length: clear + 2 }, (_, i) => (i < clear ? [i] : []))
  const out: number[] = []
  let words = fresh()
  let size = bits + 1
  let last: number[] | undefined
  let held = 0
  let count = 0
  for (const byte of data) {
    held |= byte << count
    count += 8
    while (count >= size) {
      const code = held & ((1 << size) - 1)
      held >>>= size
      count -= size
      if (code === clear + 1) return out
      if (code === clear) {
        words = fresh()
        size = bits + 1
        last = undefined
        continue
      }
      const word: number[] = words[code] ?? [...(last ?? []), last?.[0] ?? 0]
      for (const value of word) out.push(value)
      if (last !== undefined && words.length < 4096) words.push([...last, word[0] ?? 0])
      if (words.length === 1 << size && size < 12) size++
      last = word
    }
  }
  return out
}
