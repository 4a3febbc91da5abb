import type { ReadStore } from './port.ts'
import { isStream, type Reads, streamOnceOpen } from './reads.ts'
import { SHOW_SUMS } from './settled-reader.ts'
import { isAsyncIterable, wrapMethods } from './wrap-methods.ts'

/**
 * Which reads may be slightly stale and so may go to a standby. Reads that decide something, or show the state of a
 * single thing, go to the primary, and so do the log and its checkpoints.
 */
export const READS = {
  chain: 'primary',
  chains: 'primary',
  words: 'primary',
  human: 'primary',
  firstTenant: 'primary',
  people: 'replica',
  nextStatusIndex: 'primary',
  silenced: 'primary',
  standingChanges: 'primary',
  blastRadius: 'primary',
  usage: 'primary',
  approval: 'primary',
  record: 'primary',
  denial: 'primary',
  workflow: 'primary',
  agent: 'primary',
  tokens: 'replica',
  countTokens: 'replica',
  descendants: 'replica',
  approvals: 'replica',
  countApprovals: 'replica',
  countOverdue: 'replica',
  habits: 'replica',
  records: 'replica',
  denials: 'replica',
  countDenials: 'replica',
  agents: 'replica',
  countAgents: 'replica',
  liveTokens: 'replica',
  peopleOfAgent: 'primary',
  activeAgents: 'replica',
  agentDays: 'replica',
  agentKeys: 'primary',
  'registry.entry': 'primary',
  'registry.list': 'primary',
  'trust.vouch': 'primary',
  'trust.vouches': 'replica',
  'trust.anchor': 'primary',
  'trust.anchors': 'replica',
  'trust.leaves': 'replica',
  'trust.askedScores': 'primary',
  'stats.sums': 'replica',
  'stats.activeSince': 'primary',
  'stats.signals': 'primary',
  'stats.hours': 'primary',
  'stats.firstUses': 'primary',
  'standing.token': 'primary',
  'standing.chain': 'primary',
  'standing.record': 'primary',
  'workflows.facts': 'primary',
  'workflows.list': 'replica',
  'workflows.count': 'replica',
  'workflows.records': 'replica',
  'workflows.graph': 'replica',
  'workflows.liveTokens': 'replica',
  'workflows.lineage': 'replica',
  'workflows.agents': 'replica',
  'workflows.resources': 'replica',
  'workflows.tokenAt': 'primary',
  'workflows.leaves': 'replica',
} as const satisfies Record<Reads, 'primary' | 'replica'>

/** How long a standby isn't used after it failed. */
const REST_MS = 5_000

export interface ReplicaOptions {
  readonly primary: ReadStore
  readonly replica: ReadStore
  /** Whether the standby has sums that aren't in their tables. If so, the primary answers reads that show sums. */
  hasDeferredSums(): Promise<boolean>
  readonly clock: () => number
  onTrouble(cause: unknown): void
}

export interface ReplicaReader {
  readonly reader: ReadStore
  /** From now on the standby is used only once it has everything that the log holds now. Costs nothing by itself. */
  fence(): void
  /** How many log entries the standby has. Undefined while it is away. */
  replicaEntries(): Promise<number | undefined>
}

/**
 * Reads from two places. The standby is used only while it has everything up to the last fence, and up to the largest
 * log size that this process has read from the primary, so that an export and its checkpoint fit together, and what a
 * checkpoint covers is found. If it lags further or fails, the primary answers; also if it would show sums without
 * those that aren't in their tables yet.
 */
export function readingFromReplica({
  primary,
  replica,
  hasDeferredSums,
  clock,
  onTrouble,
}: ReplicaOptions): ReplicaReader {
  let needed = 0
  let reached = 0
  let rests_until_ms = 0
  let look: Promise<void> | undefined
  /** How many fences were set, and how many of them a later read of the log has covered. */
  let fences = 0
  let passed = 0

  async function note<T extends { readonly size: number } | undefined>(answer: Promise<T>): Promise<T> {
    const found = await answer
    needed = Math.max(needed, found?.size ?? 0)
    return found
  }

  /** Reads the log's size if a fence was set since. The log then contains everything that it held at the fence. */
  async function passFences(): Promise<void> {
    const set = fences
    if (passed >= set) return
    await note(primary.log.head())
    passed = Math.max(passed, set)
  }

  function trouble(cause: unknown): void {
    rests_until_ms = clock() + REST_MS
    onTrouble(cause)
  }

  async function lookAgain(): Promise<void> {
    try {
      reached = (await replica.log.head()).size
    } catch (error) {
      trouble(error)
    }
  }

  async function isUsable(name: string): Promise<boolean> {
    if (clock() < rests_until_ms) return false
    await passFences()
    if (reached < needed) {
      look ??= lookAgain().finally(() => {
        look = undefined
      })
      await look
    }
    return reached >= needed && clock() >= rests_until_ms && (!SHOW_SUMS.has(name) || (await hasAllSums()))
  }

  async function hasAllSums(): Promise<boolean> {
    try {
      return !(await hasDeferredSums())
    } catch (error) {
      trouble(error)
      return false
    }
  }

  async function answered(name: string, given: unknown[], fallback: () => unknown): Promise<unknown> {
    if (!(await isUsable(name))) return fallback()
    try {
      return await methodOf(replica, name)(...given)
    } catch (error) {
      trouble(error)
      return fallback()
    }
  }

  /** A stream that fails halfway isn't retried, because what it has returned can't be taken back. */
  async function* streamed(name: string, given: unknown[], fallback: AsyncIterable<unknown>) {
    const source = (await isUsable(name)) ? methodOf(replica, name)(...given) : fallback
    if (isAsyncIterable(source)) yield* source
  }

  const reader = wrapMethods(primary, (method, name) => (...given) => {
    if (!mayBeOld(name)) return method(...given)
    if (isStream(name))
      return streamed(
        name,
        given,
        streamOnceOpen(() => method(...given)),
      )
    return answered(name, given, () => method(...given))
  })

  const log = {
    ...reader.log,
    head: () => note(primary.log.head()),
    lastCheckpoint: () => note(primary.log.lastCheckpoint()),
  }
  return {
    reader: {
      ...reader,
      log,
      async close() {
        await primary.close()
        await replica.close()
      },
    },
    fence() {
      fences += 1
    },
    replicaEntries: () =>
      replica.log.head().then(
        ({ size }) => size,
        () => undefined,
      ),
  }
}

function mayBeOld(name: string): boolean {
  const reads: Readonly<Record<string, 'primary' | 'replica'>> = READS
  return reads[name] === 'replica'
}

/** Returns the method at a path such as `workflows.list`. */
function methodOf(store: ReadStore, name: string): (...given: unknown[]) => unknown {
  let found: unknown = store
  for (const part of name.split('.'))
    found = Reflect.get(typeof found === 'object' && found !== null ? found : {}, part)
  if (typeof found !== 'function') throw new Error(`a read store has no ${name}`)
  return (...given) => Reflect.apply(found, undefined, given)
}
