import { AuthorityError } from '@deputize/protocol'
import { ifAccepted } from './if-accepted.ts'
import type { ReadStore } from './port.ts'
import { isStream, type Reads, streamOnceOpen } from './reads.ts'
import { type Method, wrapMethods } from './wrap-methods.ts'

/**
 * Reads that show sums of workflows, agents or tenants. All others show rows alone. Histories of agents are read one by one
 * after `stats.activeSince`, and show at least what that has settled.
 */
export const SHOW_SUMS: ReadonlySet<string> = new Set([
  'workflow',
  'agent',
  'agents',
  'activeAgents',
  'agentDays',
  'stats.sums',
  'stats.activeSince',
  'workflows.facts',
  'workflows.list',
  'workflows.count',
] satisfies Reads[])

/** Reads after which nobody looks at the same sums again. Without all of them they are refused. */
const NEVER_WITHOUT_SUMS: ReadonlySet<string> = new Set(['stats.activeSince'] satisfies Reads[])

/** Reads of what is always shown before it is acknowledged. */
const NEVER_HIDDEN: ReadonlySet<string> = new Set(['registry.entry', 'registry.list'] satisfies Reads[])

/** Reads whose answer is right as soon as there is one. */
const RIGHT_ONCE_FOUND: ReadonlySet<string> = new Set(['standing.chain', 'standing.record'] satisfies Reads[])

/** What makes a store show everything acknowledged before. Both return undefined if it does already. */
export interface Settling {
  /** Resolves once reads show the rows. Absent if they always do. */
  publish?(): Promise<void> | undefined
  /** Resolves once reads show the rows and the sums. */
  settle(): Promise<void> | undefined
}

/**
 * A reader that shows everything acknowledged before. While the disk refuses writes, reads go on: they may lack what was
 * acknowledged in the last moments before. So what is not found then is not known to be absent, and the read is refused, as
 * is one that alerts depend on.
 */
export function settledReader(reader: ReadStore, store: Settling): ReadStore {
  return wrapMethods(reader, (method, name) => {
    const showsSums = SHOW_SUMS.has(name)
    if (NEVER_HIDDEN.has(name) || (!showsSums && store.publish === undefined)) return method
    const ask = () => (showsSums ? store.settle() : store.publish?.())
    const settledRead: Method = (...given) => {
      const settled = ifAccepted(ask)
      if (settled === undefined) return method(...given)
      const read = settled.then(async (refusal) => {
        const found = await method(...given)
        if (refusal !== undefined && (found === undefined || NEVER_WITHOUT_SUMS.has(name)))
          throw new AuthorityError('storage_unavailable')
        return found
      })
      return isStream(name) ? streamOnceOpen(() => read) : read
    }
    if (!RIGHT_ONCE_FOUND.has(name)) return settledRead
    return async (...given) => (await method(...given)) ?? settledRead(...given)
  })
}
