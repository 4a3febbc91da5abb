/**
 * Returns a JPEG of one shade of grey, for the example capture: a baseline picture with three components, as a canvas
 * writes it, in which every block repeats the first.
 */
export function greyJpeg(width: number, height: number): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc0, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 3, ...COMPONENTS]),
    segment(0xc4, [0x00, ...ONE_CODE, 0]),
    segment(0xc4, [0x10, ...ONE_CODE, 0]),
    segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]),
    blockBits(blocks * 3),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** Brightness and two colors: each with its number, no subsampling, and the first table. */
const COMPONENTS = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]

/** The number of codes of each length, 1 to 16: a single code of one bit, which is 0. */
const ONE_CODE = [1, ...Array<number>(15).fill(0)]

/**
 * Returns two zero bits for each block: "same as the previous" and "nothing else". The last byte is filled with ones.
 */
function blockBits(blocks: number): Buffer {
  const bits = blocks * 2
  const whole = Buffer.alloc(Math.ceil(bits / 8))
  if (bits % 8 !== 0) whole[whole.length - 1] = 0xff >> (bits % 8)
  return whole
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...content])
}
