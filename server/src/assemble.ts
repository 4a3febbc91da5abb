import { readFileSync } from 'node:fs'
import { encodeBase64, openIssuer, SET_TYP } from '@deputize/protocol'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { openAccessControl } from './access/access-control.ts'
import { markedMode, wasKeyed } from './access/access-mode.ts'
import type { KeySessionRecorder } from './access/key-sessions.ts'
import type { SessionRecorder } from './access/sessions.ts'
import { AlertWatch } from './alerts/alert-watch.ts'
import { type Clerk, type ClerkOptions, type ExecuteBatch, openClerk } from './clerk/clerk.ts'
import { CommitHistory } from './clerk/commit-history.ts'
import type { RegisterOutcome } from './clerk/judges/register.ts'
import type { SessionOutcome } from './clerk/judges/session.ts'
import { type Config, ConfigError, restoreWarning } from './config.ts'
import type { Deployment } from './deployment/deployment.ts'
import { lastBackup } from './deployment/last-backup.ts'
import { measureMachine } from './deployment/machine.ts'
import type { DeliveryDesk } from './events/delivery-desk.ts'
import { EventFeed } from './events/feed.ts'
import { pushSet } from './events/signals/push-set.ts'
import { callOf } from './events/thread/delivery-host.ts'
import { DeliveryThread, localHost, threadHost } from './events/thread/delivery-thread.ts'
import { sendTestEvent } from './events/webhooks/webhook-kind.ts'
import { buildApp } from './http/app.ts'
import { drain } from './http/drain.ts'
import { type Metrics, type NodeFacts, openMetrics } from './http/metrics.ts'
import { CALLBACK_PATH } from './http/sign-in-pages.ts'
import { assertExtends, openCheckpointFile } from './log/checkpoint-file.ts'
import { type CheckpointSigner, openCheckpointSigner } from './log/checkpoint-signer.ts'
import { type LogTree, logTree } from './log/tree.ts'
import { openWitnesses, type TroubleKind, type Witnesses } from './log/witnesses.ts'
import { openMailer } from './messages/mailer.ts'
import { type Messenger, openMessenger } from './messages/messenger.ts'
import { vapidKey } from './messages/push/vapid.ts'
import { unreadyReasons } from './operations/deployment/unready-reasons.ts'
import { EventStreams } from './operations/event-streams.ts'
import { ExternalDesk } from './operations/external/external-desk.ts'
import { MessageDesk } from './operations/notifications/message-desk.ts'
import type { OperationContext, Vitals } from './operations/operation-context.ts'
import { signedStatement } from './operations/signed-statement.ts'
import { deleteExpired } from './operations/verification/delete-expired.ts'
import { SafetyOutbox } from './operations/verification/safety-outbox.ts'
import { WaitingCalls } from './operations/waiting-calls.ts'
import { outbound, outboundFault } from './outbound/outbound.ts'
import { loadPolicies } from './policies/load-policies.ts'
import { openTrustScores } from './trust/trust-scores.ts'
import {
  type Engine,
  openBuiltinEngine,
  operatorNets,
  verificationEngine,
} from './verification/biometric-engine.ts'
import { type ConsentNotice, loadConsent } from './verification/consent-notice.ts'
import { type ExternalProviders, openExternals } from './verification/external/external-providers.ts'
import { loadExternals } from './verification/external/load-external.ts'
import type { ExternalParts } from './verification/external/port.ts'
import { loadProviders } from './verification/load-providers.ts'
import { openSignIn } from './verification/oidc.ts'
import type { Provider } from './verification/providers.ts'
import { readWebhookSecret, safetyChannel } from './verification/safety-channel.ts'
import { VERSION } from './version.ts'

/** Everything that tests and benchmarks replace. The rest of the service follows from the configuration. */
export interface Parts {
  readonly deployment: Pick<
    Deployment,
    'keys' | 'reader' | 'ephemeral' | 'deliveries' | 'execute' | 'statusIndexes' | 'peers'
  > &
    Partial<Pick<Deployment, 'elsewhere'>>
  readonly clock: () => number
  /** What is wrong with the clock; undefined while it can be trusted. */
  readonly clockFault?: (() => string | undefined) | undefined
  readonly logger: FastifyBaseLogger
  readonly batch_limits: BatchLimits
  /** How many proofs of possession this process remembers at most, to refuse replays. */
  readonly proof_limit?: number | undefined
  /** Judges captures. By default the one that the settings name. */
  readonly engine?: Engine | undefined
  /** How the node is doing. By default it is measured. */
  readonly vitals?: Vitals | undefined
  /** The store did not answer in another thread. */
  readonly onAway?: ((cause: unknown) => void) | undefined
  /** A background task failed; it will be retried. */
  onTrouble(cause: unknown, what: string): void
}

export type BatchLimits = Pick<ClerkOptions, 'batch_limit' | 'closes_at' | 'batches_in_flight'>

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
/** An alert fires about this long after what it is about. */
const ALERTS_EVERY_MS = 1_000
const EXTERNAL_EVERY_MS = 2_000
const MESSAGES_EVERY_MS = 1_000
/** Identity providers embed reports in their answers. */
const EXTERNAL_ANSWER_BYTES = 1024 * 1024

/** Until the server listens, requests can only be injected, and those name the default port of HTTP. */
const INJECTED_PORT = 80

/** A node of a cluster may be one checkpoint behind its peers when a witness answers, so `ahead` is serious only alone. */
const SERIOUS_TROUBLE = {
  alone: ['ahead', 'contradicted'],
  in_cluster: ['contradicted'],
} as const satisfies Record<string, readonly TroubleKind[]>

/** How this node is doing. A node of a cluster stores nothing on its own disk. */
function vitalsOf(
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

/** For metrics. A store that does not answer leaves what it knows open. */
async function nodeFacts(context: OperationContext): Promise<NodeFacts> {
  const { reader, checkpointSigner, witnesses, vitals } = context
  const { disk } = await vitals.machine()
  const published = checkpointSigner.published()
  const conditions = witnesses()
  const head = await reader.log.head().catch(() => undefined)
  return {
    is_ready: unreadyReasons(context).length === 0,
    log_entries: head?.size,
    signed_entries: published?.size,
    signed_at_ms: published?.signed_at_ms,
    disk_free_bytes: disk?.free_bytes,
    disk_total_bytes: disk?.total_bytes,
    witnesses: conditions.length,
    witnesses_failing: conditions.filter(({ failing }) => failing !== undefined).length,
    last_backup_ms: vitals.lastBackup(),
  }
}

/** Wires the service. Both the program and the tests get it from here. */
export async function assemble(config: Config, parts: Parts): Promise<Service> {
  const { deployment, clock, clockFault = () => undefined, logger } = parts
  const { keys, reader, ephemeral, peers } = deployment
  const metrics = openMetrics(
    () => clerk.waiting(),
    () => nodeFacts(context),
  )
  const commits = new CommitHistory(clock, () => process.memoryUsage.rss())
  const feed = new EventFeed({ reader, onTrouble: parts.onTrouble })
  const delivery = deliveryDesk(config, parts, {
    submit: (command) => clerk.submit(command),
    source: () => issuer(),
  })
  const wake = () => {
    feed.wake()
    delivery.thread.wake()
  }
  const clerk = openClerk(waking(deployment.execute, wake), {
    queue_limit: config.queue_limit,
    ...parts.batch_limits,
    clockFault,
    onBatch(size, duration_ms) {
      metrics.onBatch(size, duration_ms)
      commits.count(size, duration_ms, clerk.waiting())
    },
    onFailure(cause) {
      metrics.onBatchFailure()
      commits.countFailure()
      logger.error({ err: cause }, 'batch failed: its changes are not durable and were refused')
    },
  })
  const tree = logTree(reader.log)
  const witnesses = witnessesOf(config, parts)
  const checkpointSigner = await checkpointSignerOf(config, parts, { clerk, tree, witnesses })
  let port = config.port === 0 ? INJECTED_PORT : config.port
  const public_url = () => withPort(config.public_url, port)
  const keyed_issuer = public_url()
  const issuer = () => (config.access === 'open' ? openIssuer(public_url(), keys.instance) : keyed_issuer)
  const accessControl = await openAccessControl({
    mode: config.access,
    public_url,
    issuer: issuer(),
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
  const safety = safetyOutbox(config, parts)
  let safetyTimer: NodeJS.Timeout | undefined
  /** One at a time. What was not kept is still due the next time. */
  const keepScores = onceAtATime(() =>
    trustScores.keepScores().catch((cause) => parts.onTrouble(cause, 'scores not kept')),
  )
  const trustScores = openTrustScores({ reader, clerk, onTrouble: parts.onTrouble })
  let scoresTimer: NodeJS.Timeout | undefined
  const alertWatch = new AlertWatch({ reader, clerk, clock })
  /** One round at a time. What a failed round has missed is found by the next one. */
  const watchAlerts = onceAtATime(() =>
    alertWatch.runOnce().catch((cause) => parts.onTrouble(cause, 'alert rules not evaluated')),
  )
  let alertTimer: NodeJS.Timeout | undefined
  const externalParts = externalPartsOf(config, parts, public_url)
  let desk: ExternalDesk | undefined
  let deskTimer: NodeJS.Timeout | undefined
  const context: OperationContext = {
    clerk,
    reader,
    ephemeral,
    keys,
    signIn: openSignIn({
      providers: signInProviders(config),
      // A provider on this machine is for development, when this service is not reachable from elsewhere either.
      callFor: ({ issuer }) =>
        outbound({ allow_loopback: config.public_url.startsWith('http:') && issuer.startsWith('http:') }),
      clock,
      redirect_uri: () => `${public_url()}${CALLBACK_PATH}`,
    }),
    public_url,
    tree,
    checkpointSigner,
    witnesses: witnesses.conditions,
    witness_quorum: config.witness_quorum,
    clock,
    clockFault,
    get issuer() {
      return issuer()
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
    onSafetyNote: () => safety?.runOnce().catch(ignoreUntilNextTime),
    isShuttingDown: () => isShuttingDown,
    trustScores,
    feed,
    messenger: messengerOf(config, parts, public_url),
    streams: new EventStreams(),
    deliveries: delivery,
    waits: new WaitingCalls(MOST_WAITING),
    accessControl,
    onNotice: (what, about) => logger.warn(about, what),
  }
  const messages = new MessageDesk(context)
  let messagesTimer: NodeJS.Timeout | undefined
  const tellPeople = () => messages.runOnce().catch((cause) => parts.onTrouble(cause, 'messages not sent'))
  if (context.externals.list.length > 0) desk = new ExternalDesk(context)
  const app = await buildApp({
    context,
    metrics,
    logger,
    rate_limit_per_minute: config.rate_limit,
    longest_wait_ms: config.longest_wait_ms,
    connection_limit: config.connection_limit,
    trusted_proxies: config.trusted_proxies,
    port: () => port,
  })
  return {
    app,
    context,
    startDeliveries: () => delivery.thread.start(),
    wake,
    watchAlerts: () => alertWatch.runOnce(),
    async deleteExpired() {
      await deleteExpired(context)
    },
    async listen() {
      const address = await app.listen({ host: config.host, port: config.port })
      port = Number(new URL(address).port || INJECTED_PORT)
      // What another node left behind, and what its receiver did not take.
      if (safety !== undefined)
        safetyTimer = setInterval(() => safety.runOnce().catch(ignoreUntilNextTime), SAFETY_EVERY_MS)
      delivery.thread.start()
      scoresTimer = setInterval(keepScores, SCORES_EVERY_MS)
      messagesTimer = setInterval(tellPeople, MESSAGES_EVERY_MS)
      alertTimer = setInterval(watchAlerts, ALERTS_EVERY_MS)
      if (desk !== undefined)
        deskTimer = setInterval(() => desk?.runOnce().catch(ignoreUntilNextTime), EXTERNAL_EVERY_MS)
      return address
    },
    async close() {
      isShuttingDown = true
      await delivery.thread.close()
      await feed.close()
      clearInterval(safetyTimer)
      clearInterval(scoresTimer)
      clearInterval(alertTimer)
      clearInterval(deskTimer)
      clearInterval(messagesTimer)
      await messages.close()
      await drain(app)
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

/** Everything that sends events. */
function deliveryDesk(
  { access, outbound_allow: allowlist }: Config,
  { deployment, clock, logger, onTrouble, onAway = () => {} }: Parts,
  { submit, source }: { submit: Clerk['submit']; source: () => string },
): DeliveryDesk {
  const { reader, keys, deliveries: store, elsewhere: stores } = deployment
  const call = callOf(allowlist)
  const thread = new DeliveryThread({
    connect: (onEnd) =>
      stores === undefined
        ? localHost({ reader, deliveries: store, clock, access, allowlist, source, is_behind_callers: false })
        : threadHost({ stores, allowlist: allowlist.text, access, source: source() }, clock, onEnd),
    registry: reader.registry,
    sign: (claims) => signedStatement(SET_TYP, 'statements', claims, { keys, issuer: source(), clock }),
    async onDisabled({ endpoint_id, tenant_id, kind, reason }) {
      const entry = { endpoint_id, tenant_id, entry_kind: kind, cause: reason }
      await submit({ kind: 'endpoint_disabled', ...entry })
      logger.warn(
        { endpoint_id, tenant_id, kind, reason },
        'endpoint disabled: events are no longer sent to it',
      )
    },
    onRefused: (about, why) => logger.warn(about, `signal given up: ${why}`),
    onAway,
    onTrouble,
  })
  return {
    store,
    thread,
    changed: () => thread.changed(),
    targetFault: (url) => outboundFault(url, { allowlist }),
    pushOnce: (push, set) => pushSet(push, set, call, { now_ms: clock() }),
    sendTest: (entry) => sendTestEvent(entry, call, clock()),
  }
}

/** Those who follow the log are told once a batch is durable. */
function waking(execute: ExecuteBatch, wake: () => void): ExecuteBatch {
  return async (commands, lane) => {
    const result = await execute(commands, lane)
    if (result.wrote) wake()
    return result
  }
}

/** Alerts about coercion go to the address that the operator set. Without one, only the desk reads them. */
function safetyOutbox(
  { safety, public_url }: Config,
  { deployment, clock }: Parts,
): SafetyOutbox | undefined {
  if (safety === undefined) return undefined
  const secret = readWebhookSecret(secretText(safety.secret_file))
  if (secret === undefined)
    throw new ConfigError([
      `DEPUTY_SAFETY_SECRET_FILE: ${safety.secret_file} must be a file with whsec_ and 24 to 64 random bytes in base64.`,
    ])
  // A receiver on this machine is for development, as with identity providers.
  const allow_loopback = public_url.startsWith('http:') && safety.url.startsWith('http:')
  const { reader, ephemeral } = deployment
  const channel = safetyChannel(safety.url, secret, outbound({ allow_loopback }))
  return new SafetyOutbox({ registry: reader.registry, ephemeral, clock, channel })
}

/** What carries messages to people. A receiver on this machine is for development, as with identity providers. */
function messengerOf(
  { mail, outbound_allow, public_url: configured }: Config,
  { deployment, clock }: Parts,
  public_url: () => string,
): Messenger {
  const contact = () => (mail === undefined ? public_url() : `mailto:${mail.from}`)
  const derive = (label: string) =>
    Buffer.from(deployment.keys.digest('vapid', label).slice('sha256:'.length), 'hex')
  return openMessenger({
    mailer: mail && openMailer({ ...mail, password: mail.password_file && passwordIn(mail.password_file) }),
    call: outbound({ allow_loopback: configured.startsWith('http:'), allowlist: outbound_allow }),
    vapid: vapidKey(derive),
    contact,
    clock,
  })
}

function passwordIn(file: string): string {
  const password = secretText(file).trim()
  if (password === '')
    throw new ConfigError([
      `DEPUTY_SMTP_PASSWORD_FILE: ${file} must be a file with the password of the mail server.`,
    ])
  return password
}

function secretText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Runs a task unless it is still running. */
function onceAtATime(task: () => Promise<void>): () => void {
  let isRunning = false
  return () => {
    if (isRunning) return
    isRunning = true
    task().finally(() => {
      isRunning = false
    })
  }
}

function externalPartsOf(
  { public_url: configured }: Config,
  { deployment, clock }: Parts,
  public_url: () => string,
): Omit<ExternalParts, 'name'> {
  // A provider on this machine is for development, as with sign-in.
  const allow_loopback = configured.startsWith('http:')
  return {
    call: outbound({ allow_loopback, limit_bytes: EXTERNAL_ANSWER_BYTES }),
    clock,
    public_url,
    derivedSecret: (purpose) => deployment.keys.digest('sandbox', purpose),
  }
}

/** A sandbox verifies nobody, so in keyed mode the file must say that this is known. */
function identityProviders(
  { idv_file, access }: Config,
  parts: Omit<ExternalParts, 'name'>,
): ExternalProviders {
  if (idv_file === undefined) return openExternals([], parts)
  const { entries, problems } = loadExternals(idv_file)
  const careless = entries.filter(({ is_for_keyed }) => access === 'keyed' && !is_for_keyed)
  const warnings = careless.map(
    ({ name }) =>
      `Provider ${name}: a sandbox verifies nobody. To use it in keyed mode all the same, add "nobody_is_verified": true.`,
  )
  const all = [...problems, ...warnings]
  if (all.length > 0) throw new ConfigError(all.map((problem) => `DEPUTY_IDV_FILE: ${problem}`))
  return openExternals(entries, parts)
}

/** The outbox looks again in a moment. */
function ignoreUntilNextTime(): void {}

/**
 * Marks the store with the mode in which it is used, as a leaf. A keyed store opens to every program on this machine only
 * if the settings say so in words.
 */
async function settleAccessMode(
  { access, is_access_explicit }: Config,
  { deployment, logger }: Parts,
  clerk: Clerk,
): Promise<void> {
  const { registry } = deployment.reader
  if (access === 'keyed') {
    if ((await markedMode(registry)) !== 'keyed')
      await clerk.submit({ kind: 'set_access_mode', mode: 'keyed' })
    return
  }
  if (!(await wasKeyed(registry))) return
  if (!is_access_explicit)
    throw new ConfigError([
      'This deployment was used in keyed mode, and open mode would let every program on this machine call it without a credential. Set DEPUTY_ACCESS=keyed. To open it all the same, set DEPUTY_ACCESS=open: the log records the change.',
    ])
  await clerk.submit({ kind: 'set_access_mode', mode: 'open' })
  logger.warn(
    'deployment changed from keyed to open mode: programs on this machine can call without a credential',
  )
}

/** The engine of this machine. What happens in its processes is counted; a process that failed is also logged. */
function engineOf({ engine }: Config, metrics: Metrics, logger: FastifyBaseLogger): Engine {
  const own = operatorNets(engine.nets_file)
  if ('problem' in own) throw new ConfigError([own.problem])
  return openBuiltinEngine(engine, own.nets, (event) => {
    metrics.onEngineEvent(event)
    if (event.kind === 'process' && event.change !== 'started' && event.change !== 'idle')
      logger.warn({ change: event.change, detail: event.detail }, 'a judging process ended')
  })
}

/** Sessions begin and end in the log, through the clerk. */
function sessionRecorder(clerk: Clerk): SessionRecorder {
  return {
    async begun({ session_key, tenant_id, human_ref, assurance_level }) {
      const person = { session_key, tenant_id, human_ref, assurance_level }
      const { outcome } = await clerk.submit({ kind: 'begin_session', ...person })
      const { log_index } = outcome as SessionOutcome // the outcome type of this command's judge
      if (log_index === undefined) throw new Error('the begin of a session was not logged')
      return log_index
    },
    async ended({ session_key, human_ref }) {
      await clerk.submit({ kind: 'end_session', session_key, human_ref })
    },
  }
}

/** Sessions of API keys are entries of the registry, whose changes are logged. */
function keySessionRecorder(clerk: Clerk): KeySessionRecorder {
  const change = async (
    { session_key: id, tenant_id }: { readonly session_key: string; readonly tenant_id: string },
    document: string | undefined,
  ) => {
    const entry = { entry_kind: 'key_session', id, tenant_id, owner: undefined, document } as const
    const expects = document === undefined ? 'any' : 'absent'
    const { outcome } = await clerk.submit({ kind: 'register', ...entry, expects })
    return (outcome as RegisterOutcome).log_index // the outcome type of this command's judge
  }
  return {
    async begun(session, document) {
      const log_index = await change(session, document)
      if (log_index === undefined) throw new Error('the begin of a session was not logged')
      return log_index
    },
    async ended(session) {
      await change(session, undefined)
    },
  }
}

/** With PORT=0 the system chooses the port, and the public address follows once the server listens. */
function withPort(public_url: string, port: number): string {
  return public_url.endsWith(':0') ? new URL(public_url.replace(/:0$/, `:${port}`)).origin : public_url
}

function witnessesOf(config: Config, { deployment, logger }: Parts): Witnesses {
  const serious: readonly TroubleKind[] =
    SERIOUS_TROUBLE[deployment.peers === undefined ? 'alone' : 'in_cluster']
  return openWitnesses(config.witnesses, {
    onTrouble: (trouble) =>
      serious.includes(trouble.kind)
        ? logger.error(
            trouble,
            'witness conflict: a witness has seen another version of this log, so it was rolled back or forked',
          )
        : logger.warn(trouble, 'witness did not cosign'),
  })
}

/** Refuses a log that lacks entries signed earlier, then opens the signer. */
async function checkpointSignerOf(
  config: Config,
  { deployment, clock, onTrouble }: Parts,
  { clerk, tree, witnesses }: { clerk: Clerk; tree: LogTree; witnesses: Witnesses },
): Promise<CheckpointSigner> {
  const { keys, reader, peers } = deployment
  const file = openCheckpointFile(config.checkpoint_file)
  await assertExtends(file, keys.log.key, reader.log, tree)
  return openCheckpointSigner({
    reader: reader.log,
    file,
    ...keys.log,
    clock,
    interval_ms: config.checkpoint_interval_ms,
    ...(peers !== undefined && { confirm: () => clerk.submit({ kind: 'probe' }) }),
    store: ({ root, ...checkpoint }) =>
      clerk.submit({ kind: 'keep_checkpoint', root: encodeBase64(root), ...checkpoint }),
    cosign:
      config.witnesses.length === 0
        ? undefined
        : (checkpoint) => witnesses.cosign(checkpoint, tree.consistencyProof),
    quorum: config.witness_quorum,
    onTrouble: (cause) => onTrouble(cause, 'checkpoint not published'),
    peers,
  })
}

/** Problems in the file are configuration errors and are reported as such. */
function consentNotice({ consent_file, biometric_retention_days }: Config): ConsentNotice {
  const { notice, problem } = loadConsent(consent_file, biometric_retention_days)
  if (notice === undefined) throw new ConfigError([`DEPUTY_CONSENT_FILE: ${problem}`])
  return notice
}

function signInProviders({ oidc_file }: Config): readonly Provider[] {
  if (oidc_file === undefined) return []
  const { providers, problems } = loadProviders(oidc_file)
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `DEPUTY_OIDC_FILE: ${problem}`))
  return providers
}
