/** A growing list of small whole numbers that takes a quarter of the memory of an array. */
export class GrowingInts {
  values = new Int32Array(64)
  length = 0

  push(value: number): void {
    this.reserve(this.length + 1)
    this.values[this.length] = value
    this.length += 1
  }

  /** Makes room for `length` numbers; new ones are 0. */
  reserve(length: number): void {
    if (length <= this.values.length) return
    const larger = new Int32Array(Math.max(length, this.values.length * 2))
    larger.set(this.values)
    this.values = larger
  }

  at(index: number): number {
    return this.values[index] ?? 0
  }
}
