import { AuthorityError } from '@deputize/protocol'
import { ifAccepted } from './if-accepted.ts'
import type { ReadStore } from './port.ts'
import { isStream, type Reads, streamOnceOpen } from './reads.ts'
import { type Method, wrapMethods } from './wrap-methods.ts'

/**
 * Reads that show sums of workflows, agents or tenants. All others show only rows. Agents' histories are read one by
 * one after `stats.activeSince`, and show at least what that has settled.
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

/** Reads whose sums are looked at only once. They fail if sums are missing. */
const NEVER_WITHOUT_SUMS: ReadonlySet<string> = new Set(['stats.activeSince'] satisfies Reads[])

/** Reads of changes that are visible before they are acknowledged. */
const NEVER_HIDDEN: ReadonlySet<string> = new Set(['registry.entry', 'registry.list'] satisfies Reads[])

/** Reads whose result is right if there is one. Only a miss needs a second look. */
const RIGHT_ONCE_FOUND: ReadonlySet<string> = new Set([
  'standing.token',
  'standing.chain',
  'standing.record',
] satisfies Reads[])

/** Makes reads show everything acknowledged before. Both methods return undefined if they already do. */
export interface Settling {
  /** Resolves once reads show the rows. Absent if they always do. */
  publish?(): Promise<void> | undefined
  /** Resolves once reads show the rows and the sums. */
  settle(): Promise<void> | undefined
}

/**
 * Returns a reader that shows everything acknowledged before. While the disk refuses writes, reads continue, but the
 * newest acknowledged changes may be missing. A read that finds nothing then fails, because the entry may exist. So
 * does a read that alerts depend on.
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
