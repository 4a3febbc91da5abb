import type { FastifyBaseLogger } from 'fastify'
import { watchAccessMode } from './access/access-mode.ts'
import { assemble, type BatchLimits } from './assemble.ts'
import type { Config } from './config.ts'
import type { Deployment, DeploymentListener, StartLine } from './deployment/deployment.ts'
import { startHousekeeping } from './housekeeping.ts'
import type { CheckpointSigner } from './log/checkpoint-signer.ts'

/** The writing thread commits everything that waits there at once, so these limits only set how finely work is handed over. */
const BATCH_LIMITS: BatchLimits = { batch_limit: 512, batches_in_flight: 16 }

export interface RunningDeputy {
  readonly address: string
  /** Where the data is stored, for the start screen. */
  readonly description: readonly StartLine[]
  /** Lets the first operator in, in keyed mode; undefined once there is one. */
  readonly setup_secret: string | undefined
  /** Answers the requests in progress, makes their changes durable and releases the store. */
  close(): Promise<void>
}

export interface DeputyListener {
  readonly logger: FastifyBaseLogger
  /** The store is lost: nothing more can be acknowledged. */
  onDeath(cause: Error): void
}

/** Opens the deployment and serves it. Only benchmarks pass other limits, to measure what batching is worth. */
export async function startDeputy(
  config: Config,
  { logger, onDeath }: DeputyListener,
  batch_limits: BatchLimits = BATCH_LIMITS,
): Promise<RunningDeputy> {
  const listener = lateListener({
    onBug: (cause) => logger.error({ cause }, 'command failed unexpectedly'),
    onDeath,
    onTrouble: (cause, what) => logger.warn({ err: cause }, what),
  })
  const deployment = await openDeployment(config, listener)
  const service = await assemble(config, {
    deployment,
    clock: Date.now,
    logger,
    batch_limits,
    onTrouble: listener.onTrouble,
  })
  const { clerk, checkpointSigner, accessControl } = service.context
  const address = await service.listen()
  const housekeeping = startHousekeeping(clerk, deployment)
  const watch = deployment.peers && watchAccessMode(deployment.reader.registry, config.access, onDeath)
  listener.use({ onAway: housekeeping.probe, onHint: checkpointSigner.look })

  return {
    address,
    description: deployment.description,
    setup_secret: accessControl.setup?.secret,
    async close() {
      watch?.close()
      housekeeping.close()
      await service.close()
      await deployment.close()
    },
  }
}

/** Loads only the store that is used. */
async function openDeployment(config: Config, listener: DeploymentListener): Promise<Deployment> {
  if (config.database === undefined) {
    const { openEmbedded } = await import('./deployment/embedded.ts')
    return openEmbedded(config, listener)
  }
  const { openCluster } = await import('./deployment/cluster.ts')
  return openCluster(config, config.database, listener)
}

type LateCalls = Pick<DeploymentListener, 'onAway'> & { readonly onHint: CheckpointSigner['look'] }

/** Some events of a deployment are for parts that are built on it. Until those exist, the events are dropped. */
function lateListener(early: Omit<DeploymentListener, keyof LateCalls>) {
  let late: LateCalls | undefined
  return {
    ...early,
    onAway: (cause: unknown) => late?.onAway(cause),
    onHint: () => late?.onHint(),
    use(calls: LateCalls) {
      late = calls
    },
  }
}
