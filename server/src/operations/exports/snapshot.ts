import { setImmediate } from 'node:timers/promises'
import type { StoredRecord } from '../../domain/record.ts'
import { closedSince, recordAsOf } from '../../domain/record-as-of.ts'
import type { Chain } from '../../domain/token.ts'
import type { ReadStore, StoredLeaf, UpwardPage, WorkflowFacts } from '../../store/port.ts'

const PAGE = 200

/** A workflow as it was when the log had `size` leaves. It can be read as often as a format needs, and never changes. */
export interface Snapshot {
  readonly facts: WorkflowFacts
  readonly size: number
  /** In the order of the log. */
  records(): AsyncGenerator<StoredRecord>
  /** Newest first, each with what stands above it. */
  tokens(): AsyncGenerator<Chain>
  agents(): AsyncIterable<string>
  resources(): AsyncIterable<string>
  /** Ascending. */
  leaves(): AsyncIterable<StoredLeaf>
}

/** Reads page by page, and lets other requests have their turn in between. */
export function snapshotOf(facts: WorkflowFacts, size: number, reader: ReadStore): Snapshot {
  const { workflows } = reader
  const { provenance_ref } = facts
  const of_tokens = { provenance_ref, agent_id: undefined, human_ref: undefined, assurance_level: undefined }
  const of_records = {
    ...of_tokens,
    action: undefined,
    resource: undefined,
    result: undefined,
    rating: undefined,
    state: undefined,
    from_ms: undefined,
    to_ms: undefined,
  }

  async function membersAt(log_index: number): Promise<Record<string, unknown>> {
    const [leaf = '{}'] = await reader.log.leaves(log_index, log_index + 1)
    return JSON.parse(leaf)
  }

  async function asOf(record: StoredRecord): Promise<StoredRecord> {
    if (!closedSince(record, size)) return recordAsOf(record, size)
    const opened = await membersAt(record.log_index)
    const closed = await membersAt(record.completed_log_index ?? record.log_index)
    return recordAsOf(record, size, { opened, closed })
  }

  return {
    facts,
    size,
    async *records() {
      let from: number | undefined = facts.log_index
      while (from !== undefined) {
        const page: UpwardPage<StoredRecord> = await workflows.records(of_records, {
          limit: PAGE,
          from,
          end: size,
        })
        for (const record of page.entries) yield await asOf(record)
        from = page.from
        await setImmediate()
      }
    },
    async *tokens() {
      let before: number | undefined
      do {
        const page = await reader.tokens(of_tokens, { limit: PAGE, before })
        yield* page.entries.filter(([{ token }]) => token.log_index < size)
        before = page.before
        await setImmediate()
      } while (before !== undefined)
    },
    agents: () => workflows.agents(provenance_ref, size),
    resources: () => workflows.resources(provenance_ref, size),
    leaves: () => workflows.leaves(provenance_ref, size),
  }
}
