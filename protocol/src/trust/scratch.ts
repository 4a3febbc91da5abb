import { GrowingInts } from './growing.ts'

/**
 * Lists for one computation at a time, by name, which the next one reuses. If lists of megabytes came and went, the
 * garbage collector would walk the whole graph after every few scores.
 */
export class Scratch {
  readonly #ints = new Map<string, Int32Array>()
  readonly #reals = new Map<string, Float64Array>()
  readonly #bytes = new Map<string, Uint8Array>()
  readonly #growing = new Map<string, GrowingInts>()

  ints(name: string, length: number, value = 0): Int32Array {
    const kept = this.#ints.get(name)
    const list = kept !== undefined && kept.length >= length ? kept : new Int32Array(roomy(length))
    this.#ints.set(name, list)
    return list.subarray(0, length).fill(value)
  }

  reals(name: string, length: number): Float64Array {
    const kept = this.#reals.get(name)
    const list = kept !== undefined && kept.length >= length ? kept : new Float64Array(roomy(length))
    this.#reals.set(name, list)
    return list.subarray(0, length).fill(0)
  }

  bytes(name: string, length: number): Uint8Array {
    const kept = this.#bytes.get(name)
    const list = kept !== undefined && kept.length >= length ? kept : new Uint8Array(roomy(length))
    this.#bytes.set(name, list)
    return list.subarray(0, length).fill(0)
  }

  /** An empty list that grows. */
  growing(name: string): GrowingInts {
    const list = this.#growing.get(name) ?? new GrowingInts()
    this.#growing.set(name, list)
    list.length = 0
    return list
  }
}

/** A little more than requested, so that a growing graph doesn't need a new list each time. */
function roomy(length: number): number {
  return length + (length >> 2)
}
