/** One field of a message, as written. */
export interface ReadField {
  readonly number: number
  /** The whole field with its header, for writing it again unchanged. */
  readonly raw: Uint8Array
  /** For an integer field. */
  readonly value?: bigint
  /** For a string, a list of numbers or a nested message. */
  readonly bytes?: Uint8Array
}

const LENGTH_OF_WIRE: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/** Returns the fields of a message in order. They are views of `message`, which is not copied. */
export function readFields(message: Uint8Array): ReadField[] {
  const fields: ReadField[] = []
  for (let at = 0; at < message.length; ) {
    const field = readField(message, at)
    fields.push(field)
    at += field.raw.length
  }
  return fields
}

function readField(message: Uint8Array, start: number): ReadField {
  const head = readVarint(message, start)
  const number = Number(head.value >> 3n)
  const wire = Number(head.value & 7n)
  const rawUntil = (end: number) => {
    if (end > message.length) throw new Error('The message ends inside a field.')
    return message.subarray(start, end)
  }
  if (wire === 0) {
    const { value, end } = readVarint(message, head.end)
    return { number, raw: rawUntil(end), value }
  }
  if (wire === 2) {
    const { value: length, end } = readVarint(message, head.end)
    const raw = rawUntil(end + Number(length))
    return { number, raw, bytes: raw.subarray(end - start) }
  }
  const length = LENGTH_OF_WIRE[wire]
  if (length === undefined) throw new Error(`The message has a field of the unknown kind ${wire}.`)
  return { number, raw: rawUntil(head.end + length) }
}

const VARINT_BYTES_MAX = 10

function readVarint(message: Uint8Array, start: number): { readonly value: bigint; readonly end: number } {
  let value = 0n
  for (let i = 0; i < VARINT_BYTES_MAX; i++) {
    const byte = message[start + i]
    if (byte === undefined) throw new Error('The message ends inside a field.')
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return { value, end: start + i + 1 }
  }
  throw new Error('The message has a number that is too long.')
}
