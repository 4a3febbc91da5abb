import { GrowingInts } from './growing.ts'

/**
 * Lists for one computation at a time, by name. They are used again by the next one: lists of megabytes that come and go
 * would make the garbage collector walk the whole graph after every few scores.
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

/** Some more than asked for, so that a graph that grows does not need a new list each time. */
function roomy(length: number): number {
  return length + (length >> 2)
}
