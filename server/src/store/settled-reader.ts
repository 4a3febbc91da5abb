import type { ReadStore } from './port.ts'
import type { Reads } from './replica.ts'
import { wrapMethods } from './wrap-methods.ts'

/** Reads that show sums of workflows, agents or tenants. All others show rows alone. */
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

/** What makes a store show everything acknowledged before. Both return undefined if it does already. */
export interface Settling {
  /** Resolves once reads show the rows. */
  publish(): Promise<void> | undefined
  /** Resolves once reads show the rows and the sums. */
  settle(): Promise<void> | undefined
}

/** A reader that shows everything acknowledged before. */
export function settledReader(reader: ReadStore, { publish, settle }: Settling): ReadStore {
  return wrapMethods(reader, (method, name) => {
    const ask = SHOW_SUMS.has(name) ? settle : publish
    return (...given) => {
      const settled = ask()
      return settled === undefined ? method(...given) : settled.then(() => method(...given))
    }
  })
}
