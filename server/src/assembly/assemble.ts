import type { FastifyInstance } from 'fastify'
import { AlertWatch } from '../alerts/alert-watch.ts'
import { CommitHistory } from '../clerk/commit-history.ts'
import { type Config, restoreWarning } from '../config.ts'
import { EventNumbers } from '../events/event-numbers.ts'
import { EventFeed } from '../events/feed.ts'
import { buildApp } from '../http/app.ts'
import type { Fronts } from '../http/fronts/fronts.ts'
import { openMetrics } from '../http/metrics.ts'
import { connectionsWithin } from '../open-files.ts'
import { EventStreams } from '../operations/event-streams.ts'
import { ExternalDesk } from '../operations/external/external-desk.ts'
import { MessageDesk } from '../operations/notifications/message-desk.ts'
import type { OperationContext } from '../operations/operation-context.ts'
import { SharedPlaces } from '../operations/shared-places.ts'
import { deleteExpired } from '../operations/verification/biometrics/delete-expired.ts'
import { loadPolicies } from '../policies/load-policies.ts'
import { openTrustScores } from '../trust/trust-scores.ts'
import { verificationEngine } from '../verification/biometric-engine.ts'
import { VERSION } from '../version.ts'
import { accessControlOf, markAccessMode } from './access.ts'
import { clerkOf } from './clerk.ts'
import { deliveryDesk } from './deliveries.ts'
import { consentNotice, engineOf, externalPartsOf, identityProviders, signInOf } from './identity.ts'
import { logOf } from './log.ts'
import { messengerOf, safetyOutbox } from './messages.ts'
import { nodeFacts, vitalsOf } from './node-facts.ts'
import type { Parts } from './parts.ts'
import { serviceRounds } from './service-rounds.ts'
import { Whereabouts } from './whereabouts.ts'

/** The whole service, not listening yet. */
export interface Service {
  readonly app: FastifyInstance
  readonly context: OperationContext
  /** Starts to accept connections. Resolves to the address. */
  listen(): Promise<string>
  /** Starts to send events to webhooks and other endpoints. `listen` does so too, unless DEPUTY_QUIET is on. */
  startDeliveries(): void
  /** Must be called when the log has grown elsewhere. */
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
  const { tree, scrub, witnesses, checkpointSigner } = await logOf(config, parts, clerk)
  const accessControl = await accessControlOf(config, parts, clerk, where)
  await markAccessMode(config, parts, clerk)
  const engine = verificationEngine(parts.engine ?? engineOf(config, metrics, logger), parts.onTrouble)
  let isShuttingDown = false
  const safety = config.is_quiet ? undefined : safetyOutbox(config, parts)
  const trustScores = openTrustScores({ reader, clerk, onTrouble: parts.onTrouble })
  const alertWatch = new AlertWatch({ reader, clerk, clock })
  const externalParts = externalPartsOf(config, parts, public_url)
  let externalDesk: ExternalDesk | undefined
  const context: OperationContext = {
    clerk,
    reader,
    ephemeral,
    keys,
    clock,
    accessControl,
    access: config.access,
    get issuer() {
      return where.issuer()
    },
    public_url,
    widget_origins: config.widget_origins,
    policies: loadPolicies(),
    statusIndexes: deployment.statusIndexes,
    approval_ttl_ms: config.approval_ttl_s * 1000,
    pending_ttl_ms: config.pending_ttl_s * 1000,
    waits: new SharedPlaces(MOST_WAITING),
    trustScores,
    messenger: messengerOf(config, parts, public_url),
    onNotice: (what, about) => logger.warn(about, what),
    log: {
      tree,
      checkpointSigner,
      witnesses: witnesses.conditions,
      witness_quorum: config.witness_quorum,
      scrub,
    },
    events: { feed, streams: new EventStreams(), deliveries },
    verification: {
      signIn: signInOf(config, clock, public_url),
      engine,
      l3_passkey: config.l3_passkey,
      consent: consentNotice(config),
      biometric_retention_days: config.biometric_retention_days,
      verification_retention_days: config.verification_retention_days,
      onSafetyNote: () => safety?.runSoon(),
    },
    external: {
      providers: identityProviders(config, externalParts),
      parts: externalParts,
      wakeCheck: (check_id) => externalDesk?.wake(check_id),
      askIfDue: (check_id) => externalDesk?.askIfDue(check_id),
    },
    node: {
      version: VERSION,
      vitals: parts.vitals ?? vitalsOf(commits, clock(), config, peers === undefined),
      clockFault,
      is_restore_unnoticed: restoreWarning(config) !== undefined,
      isShuttingDown: () => isShuttingDown,
    },
  }
  if (context.external.providers.list.length > 0) externalDesk = new ExternalDesk(context)
  const messages = new MessageDesk(context)
  const work = { trustScores, scrub, alertWatch, messages, safety, externalDesk }
  const rounds = serviceRounds(config, parts, work)
  const { app, openFronts, drain } = await buildApp({
    context,
    metrics,
    logger,
    rate_limit_per_minute: config.rate_limit,
    longest_wait_ms: config.longest_wait_ms,
    connection_limit: config.connection_limit,
    most_connections: mostConnections(config),
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
      where.listensAt(address)
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
      await externalDesk?.drained()
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

/** Maximum number of connections of all callers, unless one address may hold more. */
const MOST_CONNECTIONS = 4_000

function mostConnections({ connection_limit, database }: Config): number {
  // A standby that answers reads has its own pool.
  return connectionsWithin(Math.max(MOST_CONNECTIONS, connection_limit), 2 * (database?.pool ?? 0))
}
