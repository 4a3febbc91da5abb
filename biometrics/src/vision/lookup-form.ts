import { createHmac } from 'node:crypto'

const BITS = 512

/**
 * Returns a form of a face embedding that can be replaced if it leaks: 512 signs of a random projection derived from
 * the key. Under another key, the same face gives unrelated bits. It finds likely duplicates; the cosine of embeddings
 * decides whether two faces are the same.
 */
export function lookupForm(embedding: Float32Array, key: Uint8Array): Uint8Array {
  const form = new Uint8Array(BITS / 8)
  for (let bit = 0; bit < BITS; bit++) {
    if (projection(embedding, key, bit) > 0) form[bit >> 3] = (form[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return form
}

/** Returns the share of bits that differ: 0 for the same form, about 0.5 for unrelated ones. */
export function formDistance(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length || a.length === 0) throw new Error('lookup forms have one length')
  return a.reduce((sum, byte, i) => sum + bitCount(byte ^ (b[i] ?? 0)), 0) / (a.length * 8)
}

/**
 * Returns one direction of the projection: the embedding's numbers, weighted by values between -1 and 1 from the key.
 */
function projection(embedding: Float32Array, key: Uint8Array, bit: number): number {
  const weights = weightsOf(key, bit, embedding.length)
  return embedding.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)
}

function weightsOf(key: Uint8Array, bit: number, length: number): Float64Array {
  const blocks = Array.from({ length: Math.ceil(length / 16) }, (_, block) =>
    createHmac('sha256', key).update(`face lookup ${bit} ${block}`).digest(),
  )
  const bytes = Buffer.concat(blocks)
  return Float64Array.from({ length }, (_, i) => bytes.readUInt16LE(2 * i) / 32_767.5 - 1)
}

function bitCount(byte: number): number {
  let count = 0
  for (let rest = byte; rest !== 0; rest &= rest - 1) count += 1
  return count
}
