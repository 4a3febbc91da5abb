import type { CommitHistory } from '../clerk/commit-history.ts'
import type { Config } from '../config.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { lastBackup } from '../deployment/last-backup.ts'
import { measureMachine } from '../deployment/machine.ts'
import type { NodeFacts } from '../http/metrics.ts'
import { openWork } from '../operations/deployment/open-work.ts'
import { unreadyReasons } from '../operations/deployment/unready-reasons.ts'
import type { OperationContext, Vitals } from '../operations/operation-context.ts'

/** Returns how this node is doing. A node of a cluster stores nothing on its own disk. */
export function vitalsOf(
  commits: CommitHistory,
  started_at_ms: number,
  { data_dir }: Pick<Config, 'data_dir'>,
  isAlone: boolean,
): Vitals {
  return {
    started_at_ms,
    commits: () => commits.minutes(),
    machine: () => measureMachine(isAlone ? data_dir : undefined),
    lastBackup: () => lastBackup(data_dir),
  }
}

/** Returns the facts for metrics. If the store doesn't answer, what it knows stays undefined. */
export async function nodeFacts(
  context: OperationContext,
  database: Deployment['database'],
  clockAhead: (() => number) | undefined,
): Promise<NodeFacts> {
  const { reader } = context
  const { checkpointSigner, witnesses } = context.log
  const { vitals } = context.node
  const { disk, wal_bytes } = await vitals.machine()
  const published = checkpointSigner.published()
  const conditions = witnesses()
  const shared = await database?.()
  const head = await reader.log.head().catch(() => undefined)
  return {
    is_ready: unreadyReasons(context).length === 0,
    log_entries: head?.size,
    // Not undefined, because an alert must fire if no checkpoint was ever published.
    signed_entries: published?.size ?? 0,
    signed_at_ms: published?.signed_at_ms ?? 0,
    disk_free_bytes: disk?.free_bytes,
    disk_total_bytes: disk?.total_bytes,
    witnesses: conditions.length,
    witnesses_failing: conditions.filter(({ failing }) => failing !== undefined).length,
    last_backup_ms: vitals.lastBackup(),
    database_waiting: shared?.waiting,
    replica_entries: shared?.replica_entries,
    holds_lease: shared?.holds_lease,
    log_verified_ms: context.log.scrub.finishedAtMs(),
    wal_bytes,
    ...(await openWork(context)),
    clock_ahead_ms: clockAhead?.(),
  }
}
