import type { ReadStore } from './port.ts'
import type { Reads } from './replica.ts'
import { wrapMethods } from './wrap-methods.ts'

/** Reads that show sums of workflows, agents or tenants. All others show rows that a batch writes at once. */
const SHOW_SUMS: ReadonlySet<string> = new Set([
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

/**
 * A reader that shows the sums of everything acknowledged before. `settle` returns undefined if they are in their tables,
 * and otherwise resolves once they are.
 */
export function settledReader(reader: ReadStore, settle: () => Promise<void> | undefined): ReadStore {
  return wrapMethods(reader, (method, name) => {
    if (!SHOW_SUMS.has(name)) return method
    return (...given) => {
      const settled = settle()
      return settled === undefined ? method(...given) : settled.then(() => method(...given))
    }
  })
}
