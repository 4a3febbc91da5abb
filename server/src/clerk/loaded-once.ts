/** Loads each object once, so that all commands of a batch change the same object. */
export class LoadedOnce<T> {
  readonly #load: (id: string) => T | undefined
  readonly #known = new Map<string, T>()

  constructor(load: (id: string) => T | undefined) {
    this.#load = load
  }

  get(id: string): T | undefined {
    const loaded = this.#known.get(id) ?? this.#load(id)
    if (loaded !== undefined) this.#known.set(id, loaded)
    return loaded
  }

  /** Returns the object already known under this ID, or keeps and returns this one. */
  keep(id: string, loaded: T): T {
    const known = this.#known.get(id) ?? loaded
    this.#known.set(id, known)
    return known
  }

  set(id: string, value: T): void {
    this.#known.set(id, value)
  }
}
