import type { EphemeralEntry, EphemeralKind, EphemeralStore } from './ephemeral.ts'

/** How many entries are written at once, at most. */
const MOST_AT_ONCE = 1_000

/** An entry to be added under its kind and key. */
export interface NewEphemeral {
  readonly kind: EphemeralKind
  readonly entry: EphemeralEntry
}

interface Waiting extends NewEphemeral {
  resolve(isNew: boolean): void
  reject(error: unknown): void
}

/**
 * Adds in one go what is added in one turn of the event loop: every call of a key-bound agent adds its proof. `write`
 * gets no name twice, in the order of names, and says for each whether it was added.
 */
export function addingTogether(
  write: (batch: readonly NewEphemeral[]) => Promise<readonly boolean[]>,
): EphemeralStore['add'] {
  const waiting = new Map<string, Waiting>()

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const added = await write(batch)
      for (const [index, { resolve }] of batch.entries()) resolve(added[index] === true)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function settleAll(): void {
    const all = [...waiting].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
    waiting.clear()
    for (let start = 0; start < all.length; start += MOST_AT_ONCE)
      void settle(all.slice(start, start + MOST_AT_ONCE))
  }

  return (kind, entry) => {
    const name = ephemeralName(kind, entry.key)
    if (waiting.has(name)) return Promise.resolve(false) // somebody was faster, in this very turn
    if (waiting.size === 0) setImmediate(settleAll)
    return new Promise((resolve, reject) => {
      waiting.set(name, { kind, entry, resolve, reject })
    })
  }
}

/** One text for each kind and key. No kind has a space. */
export function ephemeralName(kind: string, key: string): string {
  return `${kind} ${key}`
}
