import type { Bitmap } from './bitmap.ts'

/**
 * A baseline JPEG (ITU-T T.81, 4:2:0, the example tables of its Annex K) at a quality from 1 to 100. Written here because
 * the encoders on npm take five to ten times as long, and a capture has two hundred frames.
 */
export function writeJpeg(picture: Bitmap, quality: number): Uint8Array {
  if (picture.width % 16 !== 0 || picture.height % 16 !== 0)
    throw new Error(`Width and height must be multiples of 16, not ${picture.width}x${picture.height}.`)
  const tables = [scaled(LUMA, quality), scaled(CHROMA, quality)] as const
  const bits = new BitWriter(picture.width * picture.height)
  bits.bytes(header(picture, tables))
  writeScan(planesOf(picture), tables, bits)
  return bits.finished()
}

const ZIGZAG = Uint8Array.from([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46,
  53, 60, 61, 54, 47, 55, 62, 63,
])

const LUMA = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
]
const CHROMA = [
  17,
  18,
  24,
  47,
  99,
  99,
  99,
  99,
  18,
  21,
  26,
  66,
  99,
  99,
  99,
  99,
  24,
  26,
  56,
  99,
  99,
  99,
  99,
  99,
  47,
  66,
  99,
  99,
  ...Array.from({ length: 36 }, () => 99),
]

interface Quantizer {
  /** By position, not in zigzag order. */
  readonly steps: Uint8Array
  /** One over the step and the gain of the transform. */
  readonly inverse: Float32Array
}

/** The gains by which the fast transform (Arai, Agui, Nakajima) multiplies each frequency. */
const GAINS = [1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379]

function scaled(table: readonly number[], quality: number): Quantizer {
  const factor = quality < 50 ? 5000 / quality : 200 - quality * 2
  const steps = Uint8Array.from(table, (step) =>
    Math.min(255, Math.max(1, Math.floor((step * factor + 50) / 100))),
  )
  const inverse = Float32Array.from(
    steps,
    (step, i) => 1 / (step * (GAINS[i >> 3] ?? 1) * (GAINS[i & 7] ?? 1) * 8),
  )
  return { steps, inverse }
}

interface Huffman {
  readonly counts: readonly number[]
  readonly values: readonly number[]
  readonly code: Uint16Array
  readonly length: Uint8Array
}

function huffman(counts: readonly number[], values: readonly number[]): Huffman {
  const code = new Uint16Array(256)
  const length = new Uint8Array(256)
  let next = 0
  let at = 0
  counts.forEach((count, i) => {
    for (let k = 0; k < count; k++) {
      const value = values[at++] ?? 0
      code[value] = next++
      length[value] = i + 1
    }
    next <<= 1
  })
  return { counts, values, code, length }
}

const bytesOf = (hex: string) => [...Buffer.from(hex.replaceAll(' ', ''), 'hex')]
const TWELVE = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
const LUMA_DC = huffman([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], TWELVE)
const CHROMA_DC = huffman([0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], TWELVE)
const LUMA_AC = huffman(
  [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
  bytesOf(
    `01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a43
     4445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2
     b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa`.replaceAll(
      '\n',
      '',
    ),
  ),
)
const CHROMA_AC = huffman(
  [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
  bytesOf(
    `0001020311040521310612415107617113223281081442 91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a43
     4445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa
     b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa`.replaceAll(
      '\n',
      '',
    ),
  ),
)

function header({ width, height }: Bitmap, [luma, chroma]: readonly [Quantizer, Quantizer]): number[] {
  const word = (value: number) => [value >> 8, value & 255]
  const segment = (marker: number, body: readonly number[]) => [
    0xff,
    marker,
    ...word(body.length + 2),
    ...body,
  ]
  const steps = (quantizer: Quantizer) => [...ZIGZAG].map((place) => quantizer.steps[place] ?? 1)
  const table = (id: number, { counts, values }: Huffman) => [id, ...counts, ...values]
  return [
    ...[0xff, 0xd8],
    ...segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(0xdb, [0, ...steps(luma), 1, ...steps(chroma)]),
    ...segment(0xc0, [8, ...word(height), ...word(width), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]),
    ...segment(0xc4, [
      ...table(0, LUMA_DC),
      ...table(0x10, LUMA_AC),
      ...table(1, CHROMA_DC),
      ...table(0x11, CHROMA_AC),
    ]),
    ...segment(0xda, [3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]),
  ]
}

interface Plane {
  readonly width: number
  readonly values: Float32Array
}

/** Brightness for every pixel, and the two colours for every four pixels. */
function planesOf({ width, height, rgb }: Bitmap): readonly [Plane, Plane, Plane] {
  const luma = new Float32Array(width * height)
  const half = width >> 1
  const blue = new Float32Array(half * (height >> 1))
  const red = new Float32Array(half * (height >> 1))
  for (let y = 0, small = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2, small++) {
      let blues = 0
      let reds = 0
      for (let k = 0; k < 4; k++) {
        const i = (y + (k >> 1)) * width + x + (k & 1)
        const r = rgb[i * 3] ?? 0
        const g = rgb[i * 3 + 1] ?? 0
        const b = rgb[i * 3 + 2] ?? 0
        const light = 0.299 * r + 0.587 * g + 0.114 * b
        luma[i] = light - 128
        blues += b - light
        reds += r - light
      }
      blue[small] = blues * 0.141
      red[small] = reds * 0.17825
    }
  return [
    { width, values: luma },
    { width: half, values: blue },
    { width: half, values: red },
  ]
}

function writeScan(
  [luma, blue, red]: readonly [Plane, Plane, Plane],
  [lumaSteps, chromaSteps]: readonly [Quantizer, Quantizer],
  bits: BitWriter,
): void {
  const components = [
    new Component(luma, lumaSteps, LUMA_DC, LUMA_AC),
    new Component(blue, chromaSteps, CHROMA_DC, CHROMA_AC),
    new Component(red, chromaSteps, CHROMA_DC, CHROMA_AC),
  ] as const
  const [y, b, r] = components
  const rows = luma.values.length / luma.width / 16
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < luma.width / 16; column++) {
      for (const down of [0, 8])
        for (const right of [0, 8]) y.write(column * 16 + right, row * 16 + down, bits)
      b.write(column * 8, row * 8, bits)
      r.write(column * 8, row * 8, bits)
    }
}

/** A component of the scan. A class, because the first value of each block is written as the difference to the last. */
class Component {
  #last = 0
  readonly #block = new Float32Array(64)
  readonly #levels = new Int16Array(64)
  readonly plane: Plane
  readonly quantizer: Quantizer
  readonly dc: Huffman
  readonly ac: Huffman

  constructor(plane: Plane, quantizer: Quantizer, dc: Huffman, ac: Huffman) {
    this.plane = plane
    this.quantizer = quantizer
    this.dc = dc
    this.ac = ac
  }

  write(x: number, y: number, bits: BitWriter): void {
    this.#quantize(x, y)
    const first = this.#levels[0] ?? 0
    bits.level(this.dc, 0, first - this.#last)
    this.#last = first
    let zeros = 0
    for (let i = 1; i < 64; i++) {
      const level = this.#levels[i] ?? 0
      if (level === 0) {
        zeros++
        continue
      }
      for (; zeros > 15; zeros -= 16) bits.symbol(this.ac, 0xf0)
      bits.level(this.ac, zeros << 4, level)
      zeros = 0
    }
    if (zeros > 0) bits.symbol(this.ac, 0)
  }

  #quantize(x: number, y: number): void {
    const { values, width } = this.plane
    const block = this.#block
    // A loop instead of `set`: a view for every row would take half of the encoder's time.
    for (let i = 0; i < 64; i++) block[i] = values[(y + (i >> 3)) * width + x + (i & 7)] ?? 0
    for (let row = 0; row < 64; row += 8) transform(block, row, 1)
    for (let column = 0; column < 8; column++) transform(block, column, 8)
    const { inverse } = this.quantizer
    const levels = this.#levels
    for (let i = 0; i < 64; i++) {
      const place = ZIGZAG[i] ?? 0
      // Rounds like `Math.round`, at a fraction of the cost; a level is never beyond 2048.
      levels[i] = (((block[place] ?? 0) * (inverse[place] ?? 0) + 4096.5) | 0) - 4096
    }
  }
}

/** Eight points of the cosine transform in place, up to the gains above. */
function transform(d: Float32Array, at: number, step: number): void {
  const at1 = at + step
  const at2 = at1 + step
  const at3 = at2 + step
  const at4 = at3 + step
  const at5 = at4 + step
  const at6 = at5 + step
  const at7 = at6 + step
  const d0 = d[at] ?? 0
  const d1 = d[at1] ?? 0
  const d2 = d[at2] ?? 0
  const d3 = d[at3] ?? 0
  const d4 = d[at4] ?? 0
  const d5 = d[at5] ?? 0
  const d6 = d[at6] ?? 0
  const d7 = d[at7] ?? 0
  const s07 = d0 + d7
  const s16 = d1 + d6
  const s25 = d2 + d5
  const s34 = d3 + d4
  const even0 = s07 + s34
  const even1 = s16 + s25
  d[at] = even0 + even1
  d[at4] = even0 - even1
  const low = s07 - s34
  const turned = (s16 - s25 + low) * Math.SQRT1_2
  d[at2] = low + turned
  d[at6] = low - turned
  const t10 = d3 - d4 + d2 - d5
  const t11 = d2 - d5 + d1 - d6
  const t12 = d1 - d6 + d0 - d7
  const z5 = (t10 - t12) * 0.382683433
  const z2 = 0.5411961 * t10 + z5
  const z4 = 1.306562965 * t12 + z5
  const z3 = t11 * Math.SQRT1_2
  const z11 = d0 - d7 + z3
  const z13 = d0 - d7 - z3
  d[at5] = z13 + z2
  d[at3] = z13 - z2
  d[at1] = z11 + z4
  d[at7] = z11 - z4
}

class BitWriter {
  #out: Uint8Array
  #size = 0
  #held = 0
  #count = 0

  constructor(capacity: number) {
    this.#out = new Uint8Array(capacity)
  }

  bytes(values: readonly number[]): void {
    this.#out.set(values, this.#size)
    this.#size += values.length
  }

  symbol(table: Huffman, value: number): void {
    this.#put(table.code[value] ?? 0, table.length[value] ?? 0)
  }

  /** Writes a value as its number of bits, combined with the run before it, and the bits themselves. */
  level(table: Huffman, run: number, value: number): void {
    const size = 32 - Math.clz32(Math.abs(value))
    this.symbol(table, run | size)
    if (size > 0) this.#put(value < 0 ? value + (1 << size) - 1 : value, size)
  }

  #put(code: number, length: number): void {
    this.#held = (this.#held << length) | code
    this.#count += length
    while (this.#count >= 8) {
      this.#count -= 8
      const byte = (this.#held >> this.#count) & 255
      this.#out[this.#size++] = byte
      if (byte === 255) this.#out[this.#size++] = 0
    }
    this.#held &= (1 << this.#count) - 1
  }

  finished(): Uint8Array {
    if (this.#count > 0) this.#put((1 << (8 - this.#count)) - 1, 8 - this.#count)
    this.bytes([0xff, 0xd9])
    return this.#out.slice(0, this.#size)
  }
}
