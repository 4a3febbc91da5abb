import { crc32 } from 'node:zlib'

/**
 * A frame holds what one batch did to the store: its statements, in order, with their values. Replaying the frames that
 * the store lacks gives the same rows, because statements depend only on the rows before them.
 *
 * A frame begins with a header: magic, length of the body, number of the frame, mark of the file's current use,
 * checksum. The checksum covers the header, the body and the checksum of the frame before, so leftovers of an earlier
 * use of the file never continue a later one.
 */

/** A value that a statement takes. */
export type FrameValue = null | number | string | Uint8Array

export interface FrameStatement {
  readonly sql: string
  readonly values: readonly FrameValue[]
}

export interface JournalFrame {
  readonly number: number
  readonly statements: readonly FrameStatement[]
}

/** A frame in its written form, except for the checksum, which depends on the frame before. */
export interface EncodedFrame {
  readonly number: number
  readonly bytes: Buffer
}

const MAGIC = 0x31464a44 // "DJF1"
const LENGTH_AT = 4
const NUMBER_AT = 8
const USE_AT = 16
const CHECKSUM_AT = 24
const HEADER_BYTES = 28

const NULL = 0
const INTEGER = 1
const REAL = 2
const TEXT = 3
const BLOB = 4

const FIRST_CAPACITY = 64 * 1024
/** In UTF-8, a unit of a JavaScript string takes at most three bytes. */
const BYTES_PER_UNIT = 3

/**
 * Encodes the statements of one batch. Their text is written once for each use of the file; after that a number stands
 * for it.
 */
export class FrameEncoder {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  #known = new Set<number>()
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY)
  #at = HEADER_BYTES

  /** Returns the number that stands for a statement. */
  numberOf(sql: string): number {
    let number = this.#numbers.get(sql)
    if (number === undefined) {
      number = this.#texts.push(sql) - 1
      this.#numbers.set(sql, number)
    }
    return number
  }

  add(statement: number, values: readonly FrameValue[]): void {
    const isKnown = this.#known.has(statement)
    const sql = isKnown ? '' : (this.#texts[statement] ?? '')
    this.#reserve(16 + sql.length * BYTES_PER_UNIT)
    this.#at = this.#buffer.writeUInt16LE(statement, this.#at)
    this.#at = this.#buffer.writeUInt8(isKnown ? 0 : 1, this.#at)
    if (!isKnown) {
      this.#known.add(statement)
      this.#text(sql)
    }
    this.#at = this.#buffer.writeUInt8(values.length, this.#at)
    for (const value of values) this.#value(value)
  }

  /** Returns what was added since the last call, as a frame. Undefined if nothing was. */
  take(number: number): EncodedFrame | undefined {
    if (this.#at === HEADER_BYTES) return undefined
    const bytes = Buffer.from(this.#buffer.subarray(0, this.#at))
    this.#at = HEADER_BYTES
    bytes.writeUInt32LE(MAGIC, 0)
    bytes.writeUInt32LE(bytes.length - HEADER_BYTES, LENGTH_AT)
    bytes.writeDoubleLE(number, NUMBER_AT)
    return { number, bytes }
  }

  /** Reads the statements of a frame that this encoder made. */
  read({ number, bytes }: EncodedFrame): JournalFrame {
    return { number, statements: statementsIn(bytes, new Map(this.#texts.entries())) }
  }

  /** Forgets what was added, and which texts are in the file. */
  discard(): void {
    this.#at = HEADER_BYTES
    this.forgetTexts()
  }

  /** Writes texts again from now on. */
  forgetTexts(): void {
    this.#known = new Set()
  }

  #value(value: FrameValue): void {
    if (typeof value === 'string') {
      this.#reserve(5 + value.length * BYTES_PER_UNIT)
      this.#buffer[this.#at++] = TEXT
      this.#text(value)
    } else if (typeof value === 'number') {
      this.#reserve(9)
      if (Number.isInteger(value) && value === (value | 0) && !Object.is(value, -0)) {
        this.#buffer[this.#at++] = INTEGER
        this.#at = this.#buffer.writeInt32LE(value, this.#at)
      } else {
        this.#buffer[this.#at++] = REAL
        this.#at = this.#buffer.writeDoubleLE(value, this.#at)
      }
    } else if (value === null) {
      this.#reserve(1)
      this.#buffer[this.#at++] = NULL
    } else {
      this.#reserve(5 + value.length)
      this.#buffer[this.#at++] = BLOB
      this.#at = this.#buffer.writeUInt32LE(value.length, this.#at)
      this.#buffer.set(value, this.#at)
      this.#at += value.length
    }
  }

  #text(text: string): void {
    const length = this.#buffer.write(text, this.#at + 4, 'utf8')
    this.#buffer.writeUInt32LE(length, this.#at)
    this.#at += 4 + length
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + more))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
  }
}

/** Completes a frame for its place in the file. Returns its checksum. */
export function sealFrame({ bytes }: EncodedFrame, use: Uint8Array, previous: number): number {
  bytes.set(use, USE_AT)
  const checksum = checksumOf(bytes, previous)
  bytes.writeUInt32LE(checksum, CHECKSUM_AT)
  return checksum
}

export const USE_BYTES = 8

function checksumOf(frame: Uint8Array, previous: number): number {
  return crc32(frame.subarray(HEADER_BYTES), crc32(frame.subarray(0, CHECKSUM_AT), previous))
}

/** Returns the whole frames at the beginning of a file. Anything after them is incomplete, or from an earlier use. */
export function readFrames(file: Buffer): JournalFrame[] {
  const frames: JournalFrame[] = []
  const texts = new Map<number, string>()
  let previous = 0
  let use: Buffer | undefined
  for (let start = 0; start + HEADER_BYTES <= file.length; ) {
    const end = start + HEADER_BYTES + file.readUInt32LE(start + LENGTH_AT)
    if (file.readUInt32LE(start) !== MAGIC || end > file.length) break
    const bytes = file.subarray(start, end)
    const own = bytes.subarray(USE_AT, USE_AT + USE_BYTES)
    use ??= own
    const checksum = bytes.readUInt32LE(CHECKSUM_AT)
    if (!own.equals(use) || checksumOf(bytes, previous) !== checksum) break
    frames.push({ number: bytes.readDoubleLE(NUMBER_AT), statements: statementsIn(bytes, texts) })
    previous = checksum
    start = end
  }
  return frames
}

function statementsIn(frame: Buffer, texts: Map<number, string>): FrameStatement[] {
  const statements: FrameStatement[] = []
  let at = HEADER_BYTES
  const text = () => {
    const length = frame.readUInt32LE(at)
    at += 4 + length
    return frame.toString('utf8', at - length, at)
  }
  const value = (): FrameValue => {
    const type = frame.readUInt8(at)
    at += 1
    switch (type) {
      case NULL:
        return null
      case INTEGER:
        at += 4
        return frame.readInt32LE(at - 4)
      case REAL:
        at += 8
        return frame.readDoubleLE(at - 8)
      case TEXT:
        return text()
      case BLOB: {
        const length = frame.readUInt32LE(at)
        at += 4 + length
        return Uint8Array.from(frame.subarray(at - length, at))
      }
      default:
        throw new Error(`the journal holds a value of type ${type}, which this version does not know`)
    }
  }
  while (at < frame.length) {
    const number = frame.readUInt16LE(at)
    const isDefined = frame.readUInt8(at + 2) === 1
    at += 3
    if (isDefined) texts.set(number, text())
    const sql = texts.get(number)
    if (sql === undefined) throw new Error(`the journal does not hold the text of statement ${number}`)
    const count = frame.readUInt8(at)
    at += 1
    statements.push({ sql, values: Array.from({ length: count }, value) })
  }
  return statements
}
