/** Writes protocol buffers, with the few wire types that ONNX needs. The same calls always give the same bytes. */

const WIRE_VARINT = 0
const WIRE_BYTES = 2
const WIRE_FIXED32 = 5

export type Field = readonly Uint8Array[]

/** Returns an integer field. Negative numbers take ten bytes, as in int64. */
export function intField(number: number, value: number | bigint): Field {
  return [varint((number << 3) | WIRE_VARINT), varint(BigInt.asUintN(64, BigInt(value)))]
}

export function floatField(number: number, value: number): Field {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value, true)
  return [varint((number << 3) | WIRE_FIXED32), bytes]
}

export function bytesField(number: number, value: Uint8Array): Field {
  return [varint((number << 3) | WIRE_BYTES), varint(value.length), value]
}

export function textField(number: number, value: string): Field {
  return bytesField(number, new TextEncoder().encode(value))
}

/** Returns a message inside a message. */
export function messageField(number: number, fields: readonly Field[]): Field {
  return bytesField(number, message(fields))
}

/** Returns the bytes of a message: its fields in sequence. */
export function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(fields.flat())
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}
