import type { EphemeralEntry, EphemeralKind, EphemeralStore } from './ephemeral.ts'

/** The most entries in one write. */
const MOST_IN_A_GROUP = 1_000

/** An entry to add under its kind and key. */
export interface NewEphemeral {
  readonly kind: EphemeralKind
  readonly entry: EphemeralEntry
}

interface Waiting extends NewEphemeral {
  resolve(isNew: boolean): void
  reject(error: unknown): void
}

/**
 * Groups the entries added in one turn of the event loop into one write, because every call of a key-bound agent adds a
 * proof. `write` gets each name once, sorted by name, and returns for each whether it was added.
 */
export function groupInsert(
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
    for (let start = 0; start < all.length; start += MOST_IN_A_GROUP)
      void settle(all.slice(start, start + MOST_IN_A_GROUP))
  }

  return (kind, entry) => {
    const name = ephemeralName(kind, entry.key)
    if (waiting.has(name)) return Promise.resolve(false) // another caller added it in this turn
    if (waiting.size === 0) setImmediate(settleAll)
    return new Promise((resolve, reject) => {
      waiting.set(name, { kind, entry, resolve, reject })
    })
  }
}

/** Returns a unique name for a kind and key. No kind contains a space. */
export function ephemeralName(kind: string, key: string): string {
  return `${kind} ${key}`
}
