import { GrowingInts } from './growing.ts'

const NONE: readonly number[] = []

/**
 * The vouches of each node, by their numbers, oldest first. Ended ones stay until they are half of a list, so that ending
 * one costs little however long its list is.
 */
export class VouchLists {
  readonly #lists: (number[] | undefined)[] = []
  readonly #dead = new GrowingInts()

  /** May contain ended vouches. */
  of(node: number): readonly number[] {
    return this.#lists[node] ?? NONE
  }

  add(node: number, vouch: number): void {
    const list = this.#lists[node]
    if (list === undefined) this.#lists[node] = [vouch]
    else list.push(vouch)
  }

  replace(node: number, list: number[]): void {
    this.#lists[node] = list
  }

  /** Returns whether the ended ones were removed from the list. */
  noteEnded(node: number, isStanding: (vouch: number) => boolean): boolean {
    const list = this.of(node)
    this.#dead.reserve(node + 1)
    const dead = this.#dead.at(node) + 1
    const is_due = dead * 2 > list.length
    this.#dead.values[node] = is_due ? 0 : dead
    if (is_due) this.#lists[node] = list.filter(isStanding)
    return is_due
  }
}
