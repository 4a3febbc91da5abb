/** Makes something that tests need. Returns a function that undoes it, if necessary. */
type Prepare = () => Promise<(() => Promise<void>) | undefined>

export type Preparation = 'integrations' | 'engine' | 'programs' | 'postgres'

/** Each imports its dependencies only when it is needed. */
const PREPARATIONS: Readonly<Record<Exclude<Preparation, 'integrations'>, Prepare>> = {
  async engine() {
    await (await import('../an-engine.ts')).anEngine()
    return undefined
  },
  async programs() {
    await (await import('../../cli/build/compile-clone.ts')).compileClone()
    return undefined
  },
  postgres: async () => (await import('./shared-postgres.ts')).sharePostgres(),
}

/** Prepares everything at once, while tests that need none of it are already running. */
export class Preparations {
  private readonly ready = new Set<Preparation>()
  private readonly pending = new Map<Preparation, Promise<void>>()
  private readonly undos: (() => Promise<void>)[] = []

  /** The caller installs the frameworks of the integrations: they aren't part of the packages. */
  constructor(needed: Iterable<Preparation>, integrations: Prepare) {
    const all = { ...PREPARATIONS, integrations }
    for (const name of new Set(needed)) {
      const preparing = this.prepare(name, all[name])
      preparing.catch(() => {}) // `next` rejects
      this.pending.set(name, preparing)
    }
  }

  private async prepare(name: Preparation, make: Prepare): Promise<void> {
    const undo = await make()
    if (undo !== undefined) this.undos.push(undo)
    this.ready.add(name)
    this.pending.delete(name)
  }

  has(needs: readonly Preparation[]): boolean {
    return needs.every((name) => this.ready.has(name))
  }

  /** Resolves when one more thing is ready. Rejects if one cannot be prepared. */
  async next(): Promise<void> {
    await Promise.race(this.pending.values())
  }

  async undo(): Promise<void> {
    await Promise.allSettled(this.pending.values())
    await Promise.all(this.undos.map((undo) => undo()))
  }
}
