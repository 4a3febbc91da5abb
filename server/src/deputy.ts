import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBase64 } from '@deputy/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { clerk } from './clerk/clerk.ts'
import { startWritingThread } from './clerk/thread.ts'
import type { Config } from './config.ts'
import { buildApp } from './http/app.ts'
import { drain } from './http/drain.ts'
import { metrics } from './http/metrics.ts'
import { openKeyRing } from './keys/key-ring.ts'
import { assertExtends, checkpointFile } from './log/guard.ts'
import { openNotary } from './log/notary.ts'
import { logTree } from './log/tree.ts'
import { type TroubleKind, witnesses } from './log/witnesses.ts'
import { loadPolicies } from './policies/load-policies.ts'
import { startCheckpointer } from './store/sqlite/checkpointer.ts'
import { lockDataDirectory } from './store/sqlite/lock.ts'
import { sqliteReadStore } from './store/sqlite/read-store.ts'

const BATCH_LIMIT = 512
/** What waits at the writing thread goes into one commit together, so this is only how finely work is handed over. */
const BATCHES_IN_FLIGHT = 16
const SWEEP_EVERY_MS = 5_000
const SWEEP_LIMIT = 500
const SERIOUS: readonly TroubleKind[] = ['ahead', 'contradicted']

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

export interface Deputy {
  readonly address: string
  readonly is_new: boolean
  /** Answers what has been begun, makes it durable, and lets go of everything. */
  close(): Promise<void>
}

export interface DeputyListener {
  readonly logger: FastifyBaseLogger
  /** The store is lost: nothing more can be acknowledged. */
  onDeath(cause: Error): void
}

/** This process alone issues tokens into its store, so counting on from the last place is enough. */
function countingFrom(start: number): { next(): number } {
  let next = start
  return { next: () => next++ }
}

/** Puts the rooms together and opens the door. */
export async function startDeputy(config: Config, { logger, onDeath }: DeputyListener): Promise<Deputy> {
  const file = join(config.data_dir, 'deputy.db')
  const lock = lockDataDirectory(config.data_dir)
  const is_new = !existsSync(file)
  const keys = openKeyRing(config.data_dir, Date.now(), is_new, config.log_origin)
  const thread = await startWritingThread(
    { store: 'sqlite', file, instance: keys.instance, vault_key: keys.vault_key },
    { onBug: (cause) => logger.error({ cause }, 'a command hit a bug'), onDeath },
  )
  const checkpointer = startCheckpointer(file)
  const reader = sqliteReadStore(file, keys.vault_key)
  const measures = metrics(() => desk.waiting())
  const desk = clerk(thread.execute, {
    queue_limit: config.queue_limit,
    batch_limit: BATCH_LIMIT,
    batches_in_flight: BATCHES_IN_FLIGHT,
    onBatch: measures.onBatch,
    onFailure(cause) {
      measures.onBatchFailure()
      logger.error({ err: cause }, 'a batch could not be made durable')
    },
  })
  const tree = logTree(reader.log)
  const guard = checkpointFile(config.checkpoint_file)
  await assertExtends(guard, keys.log.key, reader.log, tree)
  const circle = witnesses(config.witnesses, {
    onTrouble: (trouble) =>
      SERIOUS.includes(trouble.kind)
        ? logger.error(trouble, 'a witness has seen another log of ours: it was rolled back or forked')
        : logger.warn(trouble, 'a witness did not cosign'),
  })
  const notary = await openNotary({
    reader: reader.log,
    guard,
    ...keys.log,
    clock: Date.now,
    interval_ms: config.checkpoint_interval_ms,
    keep: ({ root, ...checkpoint }) =>
      desk.submit({ kind: 'keep_checkpoint', root: encodeBase64(root), ...checkpoint }),
    cosign:
      config.witnesses.length === 0
        ? undefined
        : (checkpoint) => circle.cosign(checkpoint, tree.consistencyProof),
    quorum: config.witness_quorum,
    onTrouble: (cause) => logger.warn({ err: cause }, 'no new checkpoint was published'),
  })
  let isShuttingDown = false
  let port = config.port
  const app = await buildApp({
    context: {
      clerk: desk,
      reader,
      keys,
      tree,
      notary,
      clock: Date.now,
      issuer: `urn:deputy:open:${keys.instance}`,
      access: config.access,
      version: VERSION,
      policies: loadPolicies(),
      statusIndexes: countingFrom(await reader.nextStatusIndex()),
      approval_ttl_ms: config.approval_ttl_s * 1000,
      pending_ttl_ms: config.pending_ttl_s * 1000,
      isShuttingDown: () => isShuttingDown,
    },
    metrics: measures,
    logger,
    rate_limit_per_minute: config.rate_limit,
    port: () => port,
  })
  const address = await app.listen({ host: config.host, port: config.port })
  port = Number(new URL(address).port || 80)

  /** Housekeeping; while the disk refuses, a probe each time, so that readiness turns green again by itself. */
  const sweeper = setInterval(() => {
    const command = desk.isHealthy()
      ? { kind: 'sweep' as const, limit: SWEEP_LIMIT }
      : { kind: 'probe' as const }
    desk.submit(command).catch(() => {}) // a failed batch has been logged already
  }, SWEEP_EVERY_MS)

  return {
    address,
    is_new,
    async close() {
      isShuttingDown = true
      clearInterval(sweeper)
      await drain(app)
      await notary.close()
      await desk.drain()
      await checkpointer.close()
      await reader.close()
      await thread.close() // last, so that it leaves the whole store in one file
      lock.release()
    },
  }
}
