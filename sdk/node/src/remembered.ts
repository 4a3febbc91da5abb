/** A cache of limited size that evicts the least recently used entry. */
export interface Remembered<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

export function remembered<Key, Value extends object | string>(limit: number): Remembered<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) return
        entries.delete(oldest)
      }
    },
  }
}
