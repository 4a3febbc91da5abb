import { setImmediate } from 'node:timers/promises'
import { loggedAgent } from '@deputize/protocol'
import type { StoredRecord } from '../../../domain/record.ts'
import { closedSince, recordAsOf } from '../../../domain/record-as-of.ts'
import type { Chain } from '../../../domain/tokens/token.ts'
import type { StoredVouch } from '../../../domain/vouch.ts'
import { EVERY_RECORD, EVERY_TOKEN, EVERY_VOUCH } from '../../../store/port/filters.ts'
import type { StoredLeaf } from '../../../store/port/log-reader.ts'
import type { UpwardPage } from '../../../store/port/pages.ts'
import type { WorkflowFacts } from '../../../store/port/workflow-reader.ts'
import type { ReadStore } from '../../../store/port.ts'
import { EXPORT_PAGE, eachEntry } from '../../lists/pages.ts'

/** A workflow as of when the log had `size` leaves. It never changes, so a format can read it repeatedly. */
export interface Snapshot {
  readonly facts: WorkflowFacts
  readonly size: number
  /** In log order. */
  records(): AsyncGenerator<StoredRecord>
  /** Newest first, each with its ancestors. */
  tokens(): AsyncGenerator<Chain>
  agents(): AsyncIterable<string>
  resources(): AsyncIterable<string>
  /** Ascending. */
  leaves(): AsyncIterable<StoredLeaf>
  /** The vouches for its agents that had not ended when the workflow began. */
  vouches(): AsyncGenerator<StoredVouch>
  /** The leaves that made, changed or withdrew a vouch. */
  vouchLeaves(vouch: StoredVouch): AsyncGenerator<StoredLeaf>
}

/** Reads page by page and yields to other requests in between. */
export function snapshotOf(facts: WorkflowFacts, size: number, reader: ReadStore): Snapshot {
  const { workflows } = reader
  const { provenance_ref } = facts
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
        const page: UpwardPage<StoredRecord> = await workflows.records(
          { ...EVERY_RECORD, provenance_ref },
          {
            limit: EXPORT_PAGE,
            from,
            end: size,
          },
        )
        for (const record of page.entries) yield await asOf(record)
        from = page.from
        await setImmediate()
      }
    },
    async *tokens() {
      const ofWorkflow = { ...EVERY_TOKEN, provenance_ref }
      for await (const chain of eachEntry((page) => reader.tokens(ofWorkflow, page)))
        if (chain[0].token.log_index < size) yield chain
    },
    agents: () => workflows.agents(provenance_ref, size),
    resources: () => workflows.resources(provenance_ref, size),
    leaves: () => workflows.leaves(provenance_ref, size),
    async *vouches() {
      for await (const agent_id of workflows.agents(provenance_ref, size)) {
        const filter = { ...EVERY_VOUCH, to: loggedAgent(agent_id) }
        for await (const vouch of eachEntry((page) => reader.trust.vouches(filter, page)))
          if (vouch.log_index < size && (vouch.ended_index ?? size) > facts.log_index) yield vouch
      }
    },
    async *vouchLeaves({ vouch_id, log_index, changed_index, ended_index }) {
      for (const index of [log_index, changed_index, ended_index]) {
        if (index === undefined || index >= size) continue
        const [text = '{}'] = await reader.log.leaves(index, index + 1)
        // The leaf that ended it may be about something else: an erasure, or the vouch that replaced this one.
        if (JSON.parse(text).vouch_id === vouch_id) yield { log_index: index, text }
      }
    },
  }
}
