import type { FastifyBaseLogger } from 'fastify'
import { watchAccessMode } from './access/access-mode.ts'
import { assemble, type Service } from './assembly/assemble.ts'
import type { BatchLimits } from './assembly/parts.ts'
import { TroubleLog } from './assembly/trouble-log.ts'
import { ServiceClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Deployment, DeploymentListener, Hint, StartLine } from './deployment/deployment.ts'
import { startHousekeeping } from './housekeeping.ts'
import { acceptLogTime } from './log/log-time.ts'
import { assertOpenFiles } from './open-files.ts'
import { carryOutStop } from './stop/stop-order.ts'
import { watchStopRequests } from './stop/stop-requests.ts'

/**
 * The writing thread commits everything that waits there at once, so these limits only set how finely work is handed over. A
 * batch of a few requests keeps both threads busy: of 64 callers, some are read while others are judged.
 */
const BATCH_LIMITS: BatchLimits = { batch_limit: 512, closes_at: 16, batches_in_flight: 16 }

const WATCH_CLOCK_EVERY_MS = 1_000

export interface RunningDeputy {
  readonly address: string
  /** Scheme and authority at which people and programs reach the service. */
  readonly public_url: string
  /** Where the data is stored, for the start screen. */
  readonly description: readonly StartLine[]
  /** Lets the first operator in, in keyed mode; undefined once there is one. */
  readonly setup_secret: string | undefined
  /** Answers the requests in progress, makes their changes durable and releases the store. */
  close(): Promise<void>
}

export interface DeputyListener {
  readonly logger: FastifyBaseLogger
  /** Called when the store is lost and nothing more can be acknowledged. */
  onDeath(cause: Error): void
}

/** Lists the providers that verify people in addition to the engine. A sandbox is labelled as such. */
function identityLines({ list }: Service['context']['external']['providers']): StartLine[] {
  if (list.length === 0) return []
  const names = list.map(({ name, kind, level }) =>
    kind === 'sandbox' ? `${name} (${level}, SANDBOX: nobody is verified)` : `${name} (${kind}, ${level})`,
  )
  return [{ name: 'identity', text: names.join(', ') }]
}

/** Opens the deployment and serves it. Only benchmarks pass other limits, to measure what batching is worth. */
export async function startDeputy(
  config: Config,
  { logger, onDeath }: DeputyListener,
  batch_limits: BatchLimits = BATCH_LIMITS,
): Promise<RunningDeputy> {
  assertOpenFiles()
  const troubles = new TroubleLog((about, text) => logger.warn(about, text))
  const lost_orders = new TroubleLog((about, text) => logger.error(about, text))
  const listener = lateListener({
    onBug: (cause) => logger.error({ err: cause }, 'command failed unexpectedly'),
    onDeath,
    onTrouble: troubles.onTrouble,
    onNotice: (what, about) => logger.warn(about, what),
  })
  const clock = new ServiceClock()
  const deployment = await openDeployment(config, clock, listener)
  await acceptClock(config, deployment, clock, logger).catch(async (error) => {
    await deployment.close()
    throw error
  })
  const service = await assemble(config, {
    deployment,
    clock: clock.now,
    clockFault: clock.fault,
    clockAhead: clock.ahead,
    logger,
    batch_limits,
    onAway: listener.onAway,
    onTrouble: listener.onTrouble,
  })
  const { clerk, accessControl } = service.context
  const { checkpointSigner } = service.context.log
  const address = await service.listen()
  const housekeeping = startHousekeeping(clerk, deployment, service.deleteExpired)
  const watch = deployment.peers && watchAccessMode(deployment.reader.registry, config.access, onDeath)
  const clock_watch = watchClock(clock, logger)
  const stop_watch =
    config.database === undefined
      ? watchStopRequests(
          config.data_dir,
          (order) => carryOutStop(order, { reader: deployment.reader, submit: clerk.submit }),
          lost_orders.onTrouble,
        )
      : undefined
  listener.use({
    onAway: housekeeping.probe,
    onHint: (hint) => (hint === 'log' ? service.wake() : checkpointSigner.look()),
  })

  return {
    address,
    public_url: service.context.public_url(),
    description: [...deployment.description, ...identityLines(service.context.external.providers)],
    setup_secret: accessControl.setup?.secret,
    async close() {
      watch?.close()
      housekeeping.close()
      clearInterval(clock_watch)
      stop_watch?.close()
      await service.close()
      await deployment.close()
    },
  }
}

/** Loads only the store that is used. */
async function openDeployment(
  config: Config,
  clock: ServiceClock,
  listener: DeploymentListener,
): Promise<Deployment> {
  if (config.database === undefined) {
    const { openEmbedded } = await import('./deployment/embedded.ts')
    return openEmbedded(config, clock, listener)
  }
  const { openCluster } = await import('./deployment/cluster.ts')
  return openCluster(config, config.database, clock, listener)
}

/** Refuses to start on a log that is ahead of the clock, unless the operator accepts exactly that. */
async function acceptClock(
  { accepted_clock }: Config,
  { reader }: Deployment,
  clock: ServiceClock,
  logger: FastifyBaseLogger,
): Promise<void> {
  const accepted_ms = await acceptLogTime(reader.log, { now_ms: clock.now(), accepted: accepted_clock })
  if (accepted_ms === undefined) return
  clock.standUntil(accepted_ms)
  logger.warn(
    { until: accepted_clock },
    'log is ahead of the clock, as accepted: time in the service stops until the clock has caught up',
  )
}

/** Keeps following the clock while nothing else reads it, and reports when it becomes wrong or right again. */
function watchClock(clock: ServiceClock, logger: FastifyBaseLogger): NodeJS.Timeout {
  let last: string | undefined
  return setInterval(() => {
    const fault = clock.fault()
    if (fault !== undefined && last === undefined)
      logger.error({ fault }, 'clock jumped: changes are refused')
    if (fault === undefined && last !== undefined) logger.warn('clock is right again: changes are accepted')
    last = fault
  }, WATCH_CLOCK_EVERY_MS)
}

type LateCalls = Pick<DeploymentListener, 'onAway' | 'onHint'>

/** Returns a listener that drops events for parts built on the deployment until those parts exist. */
function lateListener(early: Omit<DeploymentListener, keyof LateCalls>) {
  let late: LateCalls | undefined
  return {
    ...early,
    onAway: (cause: unknown) => late?.onAway(cause),
    onHint: (hint: Hint) => late?.onHint(hint),
    use(calls: LateCalls) {
      late = calls
    },
  }
}
