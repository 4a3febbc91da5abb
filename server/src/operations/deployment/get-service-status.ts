import { isoInstant } from '../../domain/times/time.ts'
import type { Handler } from '../operation-context.ts'
import { unreadyReasons } from './unready-reasons.ts'

/** Serves pages for people, so it answers even while the service isn't ready. */
export const getServiceStatus: Handler<'getServiceStatus'> = async (_call, context) => {
  const { clerk, reader, access } = context
  const { checkpointSigner, witnesses, witness_quorum } = context.log
  const { vitals, version } = context.node
  const reasons = unreadyReasons(context)
  const published = checkpointSigner.published()
  const conditions = witnesses()
  const verified_at_ms = context.log.scrub.finishedAtMs()
  const last_backup_ms = vitals.lastBackup()
  const { memory_bytes, disk } = await vitals.machine()
  return {
    version,
    access,
    started_at: isoInstant(vitals.started_at_ms),
    ready: reasons.length === 0,
    reasons,
    warnings: context.node.is_restore_unnoticed ? ['restore_unnoticed' as const] : [],
    waiting: clerk.waiting(),
    log: {
      size: (await reader.log.head()).size,
      ...(published !== undefined && {
        checkpoint_size: published.size,
        checkpoint_signed_at: isoInstant(published.signed_at_ms),
      }),
      ...(verified_at_ms !== undefined && { verified_at: isoInstant(verified_at_ms) }),
    },
    witnesses: {
      configured: conditions.length,
      failing: conditions.filter(({ failing }) => failing !== undefined).length,
      quorum: witness_quorum,
    },
    ...(last_backup_ms !== undefined && { last_backup_at: isoInstant(last_backup_ms) }),
    memory_bytes,
    ...(disk !== undefined && { disk }),
    minutes: vitals.commits().map(({ start_ms, ...minute }) => ({ start: isoInstant(start_ms), ...minute })),
  }
}
