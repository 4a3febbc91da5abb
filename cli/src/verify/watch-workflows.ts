import { type AuditOptions, LogFault, type SoundAuditPack } from '@deputize/protocol/verifier'

interface WatchedWorkflows {
  readonly onEntry: NonNullable<AuditOptions['onEntry']>
  /** Throws a LogFault if the log has entries of these workflows that the pack leaves out. */
  assertComplete(): void
}

/** Compares the log with an audit pack. Entries must be passed in order, starting with the first. */
export function watchWorkflows({ indexes, checkpoint }: SoundAuditPack): WatchedWorkflows {
  const held = new Map([...indexes].map(([ref, list]) => [ref, new Set(list)]))
  const missing: string[] = []
  let index = 0
  return {
    onEntry({ provenance_ref }) {
      const own = typeof provenance_ref === 'string' ? held.get(provenance_ref) : undefined
      if (own !== undefined && index < checkpoint.size && !own.has(index))
        missing.push(`entry ${index} of ${provenance_ref}`)
      index += 1
    },
    assertComplete() {
      if (missing.length === 0) return
      throw new LogFault('pack_leaves_out', `${missing.length} are missing; the first is ${missing[0]}.`)
    },
  }
}
