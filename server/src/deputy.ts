import { readFileSync } from 'node:fs'
import { encodeBase64 } from '@deputize/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { openAccessControl } from './access/access-control.ts'
import { type Clerk, type ClerkOptions, clerk } from './clerk/clerk.ts'
import { type Config, ConfigError } from './config.ts'
import { openDatabase } from './deployment/cluster.ts'
import type { Deployment, DeploymentListener, Described } from './deployment/deployment.ts'
import { openEmbedded } from './deployment/embedded.ts'
import { buildApp } from './http/app.ts'
import { drain } from './http/drain.ts'
import { metrics } from './http/metrics.ts'
import { CALLBACK_PATH } from './http/sign-in-pages.ts'
import { type CheckpointSigner, openCheckpointSigner } from './log/checkpoint-signer.ts'
import { assertExtends, checkpointFile } from './log/guard.ts'
import { logTree } from './log/tree.ts'
import { type TroubleKind, witnesses } from './log/witnesses.ts'
import { outbound } from './outbound/outbound.ts'
import { loadPolicies } from './policies/load-policies.ts'
import { loadProviders } from './verification/load-providers.ts'
import { signOn } from './verification/oidc.ts'
import type { Provider } from './verification/providers.ts'

/** What waits at the writing thread goes into one commit together, so this is only how finely work is handed over. */
const LIMITS: BatchLimits = { batch_limit: 512, batches_in_flight: 16 }
const SWEEP_EVERY_MS = 5_000
const SWEEP_LIMIT = 500
const SWEEP_EPHEMERAL_EVERY_MS = 60_000
/** Where several nodes ask the same witness, one of them may be a step behind the others. */
const SERIOUS = {
  alone: ['ahead', 'contradicted'],
  among_others: ['contradicted'],
} as const satisfies Record<string, readonly TroubleKind[]>

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

export interface Deputy {
  readonly address: string
  /** Where the data lies, for the start screen. */
  readonly description: readonly Described[]
  /** How the first operator comes in, in keyed mode. */
  readonly setup_secret: string | undefined
  /** Answers what has been begun, makes it durable, and lets go of everything. */
  close(): Promise<void>
}

export interface DeputyListener {
  readonly logger: FastifyBaseLogger
  /** The store is lost: nothing more can be acknowledged. */
  onDeath(cause: Error): void
}

export type BatchLimits = Pick<ClerkOptions, 'batch_limit' | 'batches_in_flight'>

/** Puts the rooms together and opens the door. The limits differ only where a bench wants to see what batches are worth. */
export async function startDeputy(
  config: Config,
  { logger, onDeath }: DeputyListener,
  limits: BatchLimits = LIMITS,
): Promise<Deputy> {
  const listener = lateListener({
    onBug: (cause) => logger.error({ cause }, 'a command hit a bug'),
    onDeath,
    onTrouble: (cause, what) => logger.warn({ err: cause }, what),
  })
  const deployment = await openDeployment(config, listener)
  const { keys, reader, peers } = deployment
  const measures = metrics(() => desk.waiting())
  const desk = clerk(deployment.execute, {
    queue_limit: config.queue_limit,
    ...limits,
    onBatch: measures.onBatch,
    onFailure(cause) {
      measures.onBatchFailure()
      logger.error({ err: cause }, 'a batch could not be made durable')
    },
  })
  const tree = logTree(reader.log)
  const guard = checkpointFile(config.checkpoint_file)
  await assertExtends(guard, keys.log.key, reader.log, tree)
  const serious: readonly TroubleKind[] = SERIOUS[peers === undefined ? 'alone' : 'among_others']
  const circle = witnesses(config.witnesses, {
    onTrouble: (trouble) =>
      serious.includes(trouble.kind)
        ? logger.error(trouble, 'a witness has seen another log of ours: it was rolled back or forked')
        : logger.warn(trouble, 'a witness did not cosign'),
  })
  const checkpointSigner = await openCheckpointSigner({
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
    peers,
  })
  let port = config.port
  // With PORT=0 the system chooses a port, and only then is the address known.
  const public_url = () => config.public_url.replace(/:0$/, `:${port}`)
  const issuer = config.access === 'open' ? `urn:deputy:open:${keys.instance}` : config.public_url
  const accessControl = await openAccessControl({
    mode: config.access,
    public_url,
    issuer,
    reader,
    ephemeral: deployment.ephemeral,
    keys,
    clock: Date.now,
    is_alone: peers === undefined,
  })
  let isShuttingDown = false
  const app = await buildApp({
    context: {
      clerk: desk,
      reader,
      ephemeral: deployment.ephemeral,
      keys,
      signOn: signOn({
        providers: signOnProviders(config),
        // A provider on this machine is for trying things out, and then nobody else can reach this service either.
        callFor: ({ issuer }) =>
          outbound({ allow_loopback: config.public_url.startsWith('http:') && issuer.startsWith('http:') }),
        clock: Date.now,
        redirect_uri: () => `${public_url()}${CALLBACK_PATH}`,
      }),
      public_url,
      tree,
      checkpointSigner,
      clock: Date.now,
      issuer,
      access: config.access,
      version: VERSION,
      policies: loadPolicies(),
      statusIndexes: deployment.places,
      approval_ttl_ms: config.approval_ttl_s * 1000,
      pending_ttl_ms: config.pending_ttl_s * 1000,
      isShuttingDown: () => isShuttingDown,
      accessControl,
    },
    metrics: measures,
    logger,
    rate_limit_per_minute: config.rate_limit,
    trusted_proxies: config.trusted_proxies,
    port: () => port,
  })
  const address = await app.listen({ host: config.host, port: config.port })
  port = Number(new URL(address).port || 80)

  const keeper = housekeeping(desk, deployment)
  listener.use({ onAway: keeper.probe, onHint: checkpointSigner.look })

  return {
    address,
    description: deployment.description,
    setup_secret: accessControl.setup?.secret,
    async close() {
      isShuttingDown = true
      keeper.close()
      await drain(app)
      await checkpointSigner.close()
      await desk.drain()
      await deployment.close()
    },
  }
}

/** Mistakes in the file are mistakes in the settings, and named as such. */
function signOnProviders({ oidc_file }: Config): readonly Provider[] {
  if (oidc_file === undefined) return []
  const { providers, problems } = loadProviders(oidc_file)
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `DEPUTY_OIDC_FILE: ${problem}`))
  return providers
}

function openDeployment(config: Config, listener: DeploymentListener): Promise<Deployment> {
  return config.database === undefined
    ? openEmbedded(config, listener)
    : openDatabase(config, config.database, listener)
}

type LateCalls = Pick<DeploymentListener, 'onAway'> & { readonly onHint: CheckpointSigner['look'] }

/** Some of what a backing tells is for rooms that are built upon it: until they are there, nobody listens. */
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

/** Expires what is overdue, and forgets what has passed; while the store refuses, probes it, so that readiness turns green again by itself. */
function housekeeping(desk: Clerk, { ephemeral, probe_every_ms }: Deployment) {
  let isProbing = false
  function probe(): void {
    if (isProbing) return
    isProbing = true
    desk
      .submit({ kind: 'probe' })
      .catch(() => {}) // a failed batch has been logged already
      .finally(() => {
        isProbing = false
      })
  }
  const sweeper = setInterval(() => {
    if (desk.isHealthy()) desk.submit({ kind: 'sweep', limit: SWEEP_LIMIT }).catch(() => {})
  }, SWEEP_EVERY_MS)
  const forgetter = setInterval(() => {
    ephemeral.sweep().catch(() => {}) // the next time does it as well
  }, SWEEP_EPHEMERAL_EVERY_MS)
  const prober = setInterval(() => {
    if (!desk.isHealthy()) probe()
  }, probe_every_ms)
  return {
    probe,
    close() {
      clearInterval(sweeper)
      clearInterval(forgetter)
      clearInterval(prober)
    },
  }
}
