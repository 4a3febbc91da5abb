/** The frames in which two nodes exchange batches. All have the same header; unused fields are 0. */
export const FRAME_KINDS = ['hello', 'batch', 'committed', 'failed', 'beat', 'leaving'] as const

export interface RelayFrame {
  readonly kind: (typeof FRAME_KINDS)[number]
  /** The number that the sender gave the batch. */
  readonly batch: number
  readonly weight: number
  readonly now_ms: number
  readonly text: string
}

/** A longer frame ends the connection. A batch that needs one isn't forwarded. */
export const MOST_FRAME_BYTES = 64 * 1024 * 1024

const LENGTH_BYTES = 4
const HEAD_BYTES = 1 + 4 + 4 + 8

export function encodeFrame({ kind, batch = 0, weight = 0, now_ms = 0, text = '' }: PartialFrame): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + HEAD_BYTES + Buffer.byteLength(text))
  let at = bytes.writeUInt32BE(bytes.length - LENGTH_BYTES, 0)
  at = bytes.writeUInt8(FRAME_KINDS.indexOf(kind), at)
  at = bytes.writeUInt32BE(batch, at)
  at = bytes.writeUInt32BE(weight, at)
  at = bytes.writeDoubleBE(now_ms, at)
  bytes.write(text, at)
  return bytes
}

type PartialFrame = Pick<RelayFrame, 'kind'> & Partial<RelayFrame>

/** Assembles frames from the pieces in which they arrive. */
export class FrameReader {
  #pieces: Buffer[] = []
  #bytes = 0

  /** Returns the frames that this piece completes. Throws if the data isn't frames, or if a frame is too long. */
  read(piece: Buffer): RelayFrame[] {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    const frames: RelayFrame[] = []
    for (;;) {
      const length = this.#nextLength()
      if (length === undefined || this.#bytes < LENGTH_BYTES + length) return frames
      frames.push(decodeFrame(this.#take(LENGTH_BYTES + length)))
    }
  }

  #nextLength(): number | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined
    const [first] = this.#pieces
    const length = (
      first !== undefined && first.length >= LENGTH_BYTES ? first : this.#joined()
    ).readUInt32BE(0)
    if (length < HEAD_BYTES || length > MOST_FRAME_BYTES) throw new Error('the other node sent no frame')
    return length
  }

  #joined(): Buffer {
    const joined = Buffer.concat(this.#pieces, this.#bytes)
    this.#pieces = [joined]
    return joined
  }

  #take(count: number): Buffer {
    const joined = this.#pieces.length === 1 ? this.#pieces[0] : undefined
    const all = joined ?? this.#joined()
    this.#bytes -= count
    this.#pieces = this.#bytes === 0 ? [] : [all.subarray(count)]
    return all.subarray(0, count)
  }
}

function decodeFrame(bytes: Buffer): RelayFrame {
  const kind = FRAME_KINDS[bytes.readUInt8(LENGTH_BYTES)]
  if (kind === undefined) throw new Error('the other node sent an unknown frame')
  return {
    kind,
    batch: bytes.readUInt32BE(LENGTH_BYTES + 1),
    weight: bytes.readUInt32BE(LENGTH_BYTES + 5),
    now_ms: bytes.readDoubleBE(LENGTH_BYTES + 9),
    text: bytes.toString('utf8', LENGTH_BYTES + HEAD_BYTES),
  }
}
