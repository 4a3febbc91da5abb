import fc from 'fast-check'

/** Bytes that trip up readers of text and of lengths. */
export const TELLING_BYTES: readonly number[] = [
  0x00, 0x0a, 0x20, 0x22, 0x2d, 0x2e, 0x2f, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xd8, 0xff,
]

type Mutation = (bytes: number[], at: number, byte: number, length: number) => void

const MUTATIONS: readonly Mutation[] = [
  (bytes, at, byte) => bytes.splice(at, 1, byte),
  (bytes, at, byte) => bytes.splice(at, 0, byte),
  (bytes, at, _byte, length) => bytes.splice(at, length),
  (bytes, at, _byte, length) => bytes.splice(at, 0, ...bytes.slice(at, at + length)),
  (bytes, at, byte) => bytes.splice(at, 1, (bytes[at] ?? 0) ^ (1 << (byte & 7))),
  (bytes, at) => bytes.splice(at),
]

/** A change of some bytes. `kind` is the number of its kind, and `at` a position in the bytes. */
export interface ByteChange {
  readonly kind: number
  readonly at: number
  readonly byte: number
  readonly length: number
}

export const KINDS_OF_CHANGE: number = MUTATIONS.length

export function changeBytes(bytes: number[], { kind, at, byte, length }: ByteChange): void {
  MUTATIONS[kind]?.(bytes, at, byte, length)
}

/** A valid document with a few bytes changed, added, removed, repeated or cut off: most of it still looks right. */
export function mutatedBytes(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    kind: fc.nat(MUTATIONS.length - 1),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    byte: fc.oneof(fc.constantFrom(...TELLING_BYTES), fc.nat(255)),
    length: fc.integer({ min: 1, max: 64 }),
  })
  return fc
    .record({ seed: fc.constantFrom(...seeds), changes: fc.array(change, { minLength: 1, maxLength: 6 }) })
    .map(({ seed, changes }) => {
      const bytes = [...seed]
      for (const change of changes)
        changeBytes(bytes, { ...change, at: Math.floor(change.at * bytes.length) })
      return Uint8Array.from(bytes)
    })
}
