import { openIssuer } from '@deputize/protocol'
import type { FastifyInstance } from 'fastify'
import { openAccessControl } from '../access/access-control.ts'
import { AlertWatch } from '../alerts/alert-watch.ts'
import { type Clerk, openClerk } from '../clerk/clerk.ts'
import { CommitHistory } from '../clerk/commit-history.ts'
import { type Config, restoreWarning } from '../config.ts'
import { EventNumbers } from '../events/event-numbers.ts'
import { EventFeed } from '../events/feed.ts'
import { buildApp } from '../http/app.ts'
import type { Fronts } from '../http/fronts/fronts.ts'
import { type Metrics, openMetrics } from '../http/metrics.ts'
import { LogScrub } from '../log/log-scrub.ts'
import { logTree } from '../log/tree.ts'
import { EventStreams } from '../operations/event-streams.ts'
import { ExternalDesk } from '../operations/external/external-desk.ts'
import { MessageDesk } from '../operations/notifications/message-desk.ts'
import type { OperationContext } from '../operations/operation-context.ts'
import { SharedPlaces } from '../operations/shared-places.ts'
import { deleteExpired } from '../operations/verification/delete-expired.ts'
import { loadPolicies } from '../policies/load-policies.ts'
import { openTrustScores } from '../trust/trust-scores.ts'
import { verificationEngine } from '../verification/biometric-engine.ts'
import { VERSION } from '../version.ts'
import { keySessionRecorder, sessionRecorder, settleAccessMode } from './access.ts'
import { checkpointSignerOf, witnessesOf } from './checkpoints.ts'
import { deliveryDesk, waking } from './deliveries.ts'
import { consentNotice, engineOf, externalPartsOf, identityProviders, signInOf } from './identity.ts'
import { messengerOf, safetyOutbox } from './messages.ts'
import { nodeFacts, vitalsOf } from './node-facts.ts'
import type { Parts } from './parts.ts'
import { Rounds } from './rounds.ts'

/** The whole service, not listening yet. */
export interface Service {
  readonly app: FastifyInstance
  readonly context: OperationContext
  /** Starts to accept connections. Resolves to the address. */
  listen(): Promise<string>
  /** Begins to send events to webhooks and other endpoints. `listen` does it, too. */
  startDeliveries(): void
  /** Call when the log has grown elsewhere. */
  wake(): void
  /** Deletes personal data that has reached the end of its retention. */
  deleteExpired(): Promise<void>
  /** Evaluates every alert rule once, as the running service does about once a second. */
  watchAlerts(): Promise<void>
  /** Answers the requests in progress, makes their changes durable and signs a last checkpoint. The deployment stays open. */
  close(): Promise<void>
}

/** Each waiting call reads the store a few times a second. */
const MOST_WAITING = 1_000
const SAFETY_EVERY_MS = 5_000
/** A score that a token asks for is kept about this long after a change. */
const SCORES_EVERY_MS = 1_000
/** 256 entries of the log are read back this often: a million take about an hour. */
const SCRUB_EVERY_MS = 1_000
/** An alert fires about this long after what it is about. */
const ALERTS_EVERY_MS = 1_000
const EXTERNAL_EVERY_MS = 2_000
const MESSAGES_EVERY_MS = 1_000

/** Until the server listens, requests can only be injected, and those name the default port of HTTP. */
const INJECTED_PORT = 80

/** Wires the service. Both the program and the tests get it from here. */
export async function assemble(config: Config, parts: Parts): Promise<Service> {
  const { deployment, clock, clockFault = () => undefined, logger } = parts
  const { keys, reader, ephemeral, peers } = deployment
  const where = new Whereabouts(config, keys.instance)
  const { public_url } = where
  const metrics = openMetrics(
    () => clerk.waiting(),
    () => nodeFacts(context, deployment.database, parts.clockAhead),
  )
  const commits = new CommitHistory(clock, () => process.memoryUsage.rss())
  const feed = new EventFeed({
    reader,
    numbers: new EventNumbers(deployment.keys.restores),
    onTrouble: parts.onTrouble,
  })
  const deliveries = deliveryDesk(config, parts, {
    submit: (command) => clerk.submit(command),
    source: () => where.issuer(),
  })
  const wake = () => {
    feed.wake()
    deliveries.thread.wake()
  }
  const clerk = clerkOf(config, parts, { metrics, commits, wake })
  const tree = logTree(reader.log)
  const scrub = new LogScrub({
    reader: reader.log,
    clock,
    onDamage: (detail) => logger.error({ detail }, 'the stored log is damaged'),
  })
  const witnesses = witnessesOf(config, parts)
  const checkpointSigner = await checkpointSignerOf(config, parts, { clerk, tree, witnesses })
  const accessControl = await openAccessControl({
    mode: config.access,
    public_url,
    issuer: where.issuer(),
    reader,
    ephemeral,
    keys,
    sessionRecorder: sessionRecorder(clerk),
    keySessionRecorder: keySessionRecorder(clerk),
    clock,
    is_alone: peers === undefined,
    proof_limit: parts.proof_limit,
    onTrouble: (cause) => parts.onTrouble(cause, 'refused calls not counted'),
  })
  await settleAccessMode(config, parts, clerk)
  const engine = verificationEngine(parts.engine ?? engineOf(config, metrics, logger), parts.onTrouble)
  let isShuttingDown = false
  const safety = config.is_quiet ? undefined : safetyOutbox(config, parts)
  const trustScores = openTrustScores({ reader, clerk, onTrouble: parts.onTrouble })
  const alertWatch = new AlertWatch({ reader, clerk, clock })
  const externalParts = externalPartsOf(config, parts, public_url)
  let desk: ExternalDesk | undefined
  const context: OperationContext = {
    clerk,
    reader,
    ephemeral,
    keys,
    signIn: signInOf(config, clock, public_url),
    public_url,
    tree,
    checkpointSigner,
    witnesses: witnesses.conditions,
    witness_quorum: config.witness_quorum,
    clock,
    clockFault,
    get issuer() {
      return where.issuer()
    },
    access: config.access,
    is_restore_unnoticed: restoreWarning(config) !== undefined,
    version: VERSION,
    vitals: parts.vitals ?? vitalsOf(commits, clock(), config, peers === undefined),
    policies: loadPolicies(),
    statusIndexes: deployment.statusIndexes,
    approval_ttl_ms: config.approval_ttl_s * 1000,
    pending_ttl_ms: config.pending_ttl_s * 1000,
    l3_passkey: config.l3_passkey,
    widget_origins: config.widget_origins,
    consent: consentNotice(config),
    engine,
    externals: identityProviders(config, externalParts),
    externalParts,
    wakeCheck: (check_id) => desk?.wake(check_id),
    askIfDue: (check_id) => desk?.askIfDue(check_id),
    verification_retention_days: config.verification_retention_days,
    biometric_retention_days: config.biometric_retention_days,
    onSafetyNote: () => safety?.runSoon(),
    isShuttingDown: () => isShuttingDown,
    scrub,
    trustScores,
    feed,
    messenger: messengerOf(config, parts, public_url),
    streams: new EventStreams(),
    deliveries,
    waits: new SharedPlaces(MOST_WAITING),
    accessControl,
    onNotice: (what, about) => logger.warn(about, what),
  }
  if (context.externals.list.length > 0) desk = new ExternalDesk(context)
  const messages = new MessageDesk(context)
  const rounds = new Rounds(parts.onTrouble)
  rounds.add(SCORES_EVERY_MS, () => trustScores.keepScores(), 'scores not kept')
  rounds.add(SCRUB_EVERY_MS, () => scrub.runOnce(), 'log not read back')
  rounds.add(ALERTS_EVERY_MS, () => alertWatch.runOnce(), 'alert rules not evaluated')
  const asking = desk
  if (config.is_quiet) {
    logger.warn('DEPUTY_QUIET is on: no webhook, signal, message or alert is sent')
  } else {
    rounds.add(MESSAGES_EVERY_MS, () => messages.runOnce(), 'messages not sent')
    // What another node left behind, and what its receiver did not take.
    if (safety !== undefined) rounds.add(SAFETY_EVERY_MS, () => safety.runOnce())
    if (asking !== undefined) rounds.add(EXTERNAL_EVERY_MS, () => asking.runOnce())
  }
  const { app, openFronts, drain } = await buildApp({
    context,
    metrics,
    logger,
    rate_limit_per_minute: config.rate_limit,
    longest_wait_ms: config.longest_wait_ms,
    connection_limit: config.connection_limit,
    trusted_proxies: config.trusted_proxies,
    port: () => where.port,
  })
  let fronts: Fronts | undefined
  return {
    app,
    context,
    startDeliveries: () => deliveries.thread.start(),
    wake,
    watchAlerts: () => alertWatch.runOnce(),
    async deleteExpired() {
      await deleteExpired(context)
    },
    async listen() {
      const { host, port, http_threads: threads } = config
      if (threads > 1) fronts = await openFronts({ threads, host, port })
      const address = fronts?.address ?? (await app.listen({ host, port }))
      where.port = Number(new URL(address).port || INJECTED_PORT)
      if (!config.is_quiet) deliveries.thread.start()
      rounds.start()
      return address
    },
    async close() {
      isShuttingDown = true
      await deliveries.thread.close()
      await feed.close()
      rounds.stop()
      await messages.close()
      await fronts?.close()
      await drain()
      await desk?.drained()
      await accessControl.securityEvents
        .close()
        .catch((cause) => parts.onTrouble(cause, 'refused calls not counted'))
      await engine.close()
      await trustScores.close()
      await checkpointSigner.close()
      await clerk.drain()
    },
  }
}

/** Where the service is reached. With PORT=0 the system chooses the port, so the address follows once the server listens. */
class Whereabouts {
  port: number
  private readonly config: Config
  private readonly instance: string
  private readonly keyed_issuer: string
  /** The address at a port, made once: every call asks for it several times. */
  private address: { readonly port: number; readonly url: string } | undefined

  constructor(config: Config, instance: string) {
    this.config = config
    this.instance = instance
    this.port = config.port === 0 ? INJECTED_PORT : config.port
    this.keyed_issuer = this.public_url()
  }

  readonly public_url = (): string => {
    const { public_url } = this.config
    if (!public_url.endsWith(':0')) return public_url
    const { port } = this
    if (this.address?.port !== port)
      this.address = { port, url: new URL(public_url.replace(/:0$/, `:${port}`)).origin }
    return this.address.url
  }

  issuer(): string {
    return this.config.access === 'open' ? openIssuer(this.public_url(), this.instance) : this.keyed_issuer
  }
}

interface Followers {
  readonly metrics: Metrics
  readonly commits: CommitHistory
  readonly wake: () => void
}

function clerkOf(config: Config, parts: Parts, { metrics, commits, wake }: Followers): Clerk {
  const { deployment, batch_limits, clockFault = () => undefined, logger } = parts
  const { execute, tells_growth = false } = deployment
  let isFailing = false
  const clerk = openClerk(tells_growth ? execute : waking(execute, wake), {
    queue_limit: config.queue_limit,
    ...batch_limits,
    clockFault,
    onBatch(size, duration_ms) {
      metrics.onBatch(size, duration_ms)
      commits.count(size, duration_ms, clerk.waiting())
      if (!isFailing || clerk.fault() !== undefined) return
      isFailing = false
      logger.warn('the store accepts changes again')
    },
    onFailure(cause) {
      isFailing = true
      metrics.onBatchFailure()
      commits.countFailure()
      logger.error({ err: cause }, 'batch failed: its changes are not durable and were refused')
    },
  })
  return clerk
}
