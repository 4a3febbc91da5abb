import { AuthorityError } from '@deputize/protocol'
import { ifAccepted } from './if-accepted.ts'
import type { ReadStore } from './port.ts'
import { isStream, type Reads, streamOnceOpen } from './reads.ts'
import { type Method, wrapMethods } from './wrap-methods.ts'

/** Reads that show sums of workflows, agents or tenants. All others show rows alone. */
export const SHOW_SUMS: ReadonlySet<string> = new Set([
  'workflow',
  'agent',
  'agents',
  'activeAgents',
  'agentDays',
  'stats.sums',
  'stats.activeSince',
  'stats.signals',
  'stats.hours',
  'stats.firstUses',
  'workflows.facts',
  'workflows.list',
  'workflows.count',
] satisfies Reads[])

/** Reads of what is always shown before it is acknowledged. */
const NEVER_HIDDEN: ReadonlySet<string> = new Set(['registry.entry', 'registry.list'] satisfies Reads[])

/** Reads whose answer is right as soon as there is one. */
const RIGHT_ONCE_FOUND: ReadonlySet<string> = new Set(['standing.chain', 'standing.record'] satisfies Reads[])

/** What makes a store show everything acknowledged before. Both return undefined if it does already. */
export interface Settling {
  /** Resolves once reads show the rows. */
  publish(): Promise<void> | undefined
  /** Resolves once reads show the rows and the sums. */
  settle(): Promise<void> | undefined
}

/**
 * A reader that shows everything acknowledged before. While the disk refuses writes, reads go on: they may lack what was
 * acknowledged in the last moments before. So what is not found then is not known to be absent, and the read is refused.
 */
export function settledReader(reader: ReadStore, store: Settling): ReadStore {
  return wrapMethods(reader, (method, name) => {
    if (NEVER_HIDDEN.has(name)) return method
    const ask = SHOW_SUMS.has(name) ? () => store.settle() : () => store.publish()
    const settledRead: Method = (...given) => {
      const settled = ifAccepted(ask)
      if (settled === undefined) return method(...given)
      const read = settled.then(async (refusal) => {
        const found = await method(...given)
        if (found === undefined && refusal !== undefined) throw new AuthorityError('storage_unavailable')
        return found
      })
      return isStream(name) ? streamOnceOpen(() => read) : read
    }
    if (!RIGHT_ONCE_FOUND.has(name)) return settledRead
    return async (...given) => (await method(...given)) ?? settledRead(...given)
  })
}
