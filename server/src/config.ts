import { isAbsolute, join, relative, resolve } from 'node:path'
import { isKeyName } from '@deputize/protocol'
import { readWitnesses, type WitnessEndpoint } from './log/witnesses.ts'
import { type OutboundAllowlist, readAllowlist } from './outbound/allowlist.ts'
import {
  accessMode,
  hostSetting,
  isSafeUrl,
  publicUrl,
  trustedProxies,
  widgetOrigins,
} from './settings/addresses.ts'
import { type DatabaseConfig, databaseSettings } from './settings/database.ts'
import { type MailConfig, mailSettings } from './settings/mail.ts'
import { SettingsReader, type SettingTexts } from './settings/settings-reader.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly data_dir: string
  /** Open: any program on this machine may call. Keyed: every call needs a credential. */
  readonly access: 'open' | 'keyed'
  /** Whether DEPUTY_ACCESS names the mode. Without it, a store that was keyed does not open. */
  readonly is_access_explicit: boolean
  /** The address that callers use, without a path. Proofs, sessions and sign-in are bound to it. */
  readonly public_url: string
  /** Addresses of proxies whose forwarding headers are trusted. */
  readonly trusted_proxies: readonly string[]
  /** The file of sign-in providers. */
  readonly oidc_file: string | undefined
  /** The file of external verification providers. */
  readonly idv_file: string | undefined
  readonly log_level: LogLevel
  /** Seconds until an authorized action that was not completed expires. */
  readonly pending_ttl_s: number
  /** Seconds until an approval request that was not decided expires. */
  readonly approval_ttl_s: number
  /** Days until the biometric template of a person is deleted. */
  readonly biometric_retention_days: number
  /** Days until the result of a capture is deleted. */
  readonly verification_retention_days: number
  /** Whether a biometric verification also needs a passkey. */
  readonly l3_passkey: 'required' | 'optional'
  /** Origins of the sites that embed the widget. */
  readonly widget_origins: readonly string[]
  /** The file of the text that people accept before they enroll. Undefined: the built-in text. */
  readonly consent_file: string | undefined
  /** The built-in verification engine. */
  readonly engine: EngineConfig
  /** Where alerts about coercion go. Undefined: they are only in the list of the safety desk. */
  readonly safety: { readonly url: string; readonly secret_file: string } | undefined
  /** Private targets that webhooks and other messages may go to, in addition to the public internet. */
  readonly outbound_allow: OutboundAllowlist
  /** Whether outgoing messages are off: webhooks, signals, messages to people and alerts. For drills with a copy. */
  readonly is_quiet: boolean
  /** The server that emails to people go through. Undefined: no email is sent. */
  readonly mail: MailConfig | undefined
  /** Commands that may wait for the disk. Beyond that callers get 503. */
  readonly queue_limit: number
  /** The longest expected wait of an accepted call. Beyond that, and earlier for calls that matter less, callers get 503. */
  readonly longest_wait_ms: number
  /** Threads that speak HTTP. 1: the main thread does. */
  readonly http_threads: number
  /** The name of the log. Undefined: it is derived from the deployment's id. */
  readonly log_origin: string | undefined
  /** Where the last signed checkpoint is stored, separate from the store itself. */
  readonly checkpoint_file: string
  /** The shortest time between two checkpoints. */
  readonly checkpoint_interval_ms: number
  /** Witnesses that cosign checkpoints. */
  readonly witnesses: readonly WitnessEndpoint[]
  /** How many cosignatures a checkpoint needs before it is published. */
  readonly witness_quorum: number
  /** Requests per minute for each caller; 0 means no limit. */
  readonly rate_limit: number
  /** Connections that one address may hold open. */
  readonly connection_limit: number
  /** The instant of the newest log entry, if the operator accepts a log that is ahead of the clock. */
  readonly accepted_clock: string | undefined
  /** The PostgreSQL database that nodes share. Undefined: the embedded store in the data directory. */
  readonly database: DatabaseConfig | undefined
}

export interface EngineConfig {
  /** `auto` fetches the engine pack when it is first needed, `off` forbids the engine. */
  readonly mode: 'auto' | 'off'
  /** Where fetched packs are kept. */
  readonly root: string
  /** A pack that was copied to this machine. Nothing is fetched then. */
  readonly copied: string | undefined
  /** Undefined: one fewer than the machine's cores, from 1 to 4. */
  readonly processes: number | undefined
  /** The file that declares the operator's own nets. */
  readonly nets_file: string | undefined
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The settings are invalid. Each problem names a setting and its fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Reads the settings. Throws a `ConfigError` with every problem at once. An empty variable counts as unset. */
export function readConfig(given: SettingTexts): Config {
  const settings = new SettingsReader(given)
  const { witnesses, problems: unreadable } = readWitnesses(settings.text('DEPUTY_WITNESSES') ?? '')
  settings.refuse(...unreadable.map((problem) => `DEPUTY_WITNESSES: ${problem}`))
  const data_dir = settings.path('DEPUTY_DATA_DIR') ?? resolve('./data')
  const host = hostSetting(settings)
  const port = settings.integer('PORT', { least: 0, most: 65_535, otherwise: 8420 })
  const access = accessMode(settings, host)
  const config: Config = {
    host,
    port,
    data_dir,
    access,
    is_access_explicit: (settings.text('DEPUTY_ACCESS') ?? 'auto') !== 'auto',
    public_url: publicUrl(settings, { host, port, access }),
    trusted_proxies: trustedProxies(settings),
    oidc_file: settings.path('DEPUTY_OIDC_FILE'),
    idv_file: settings.path('DEPUTY_IDV_FILE'),
    log_level: settings.oneOf('DEPUTY_LOG_LEVEL', LOG_LEVELS, 'warn'),
    pending_ttl_s: settings.integer('DEPUTY_PENDING_TTL_S', { least: 1, most: 86_400, otherwise: 900 }),
    approval_ttl_s: settings.integer('DEPUTY_APPROVAL_TTL_S', { least: 1, most: 2_592_000, otherwise: 3600 }),
    biometric_retention_days: settings.integer('DEPUTY_BIOMETRIC_RETENTION_DAYS', {
      least: 1,
      most: 1095,
      otherwise: 365,
    }),
    verification_retention_days: settings.integer('DEPUTY_VERIFICATION_RETENTION_DAYS', {
      least: 1,
      most: 3650,
      otherwise: 365,
    }),
    l3_passkey: settings.oneOf('DEPUTY_L3_PASSKEY', ['required', 'optional'], 'required'),
    widget_origins: widgetOrigins(settings),
    consent_file: settings.path('DEPUTY_CONSENT_FILE'),
    engine: engineSettings(settings, data_dir),
    safety: safetySettings(settings),
    outbound_allow: outboundAllowlist(settings),
    is_quiet: settings.oneOf('DEPUTY_QUIET', ['on', 'off'], 'off') === 'on',
    mail: mailSettings(settings),
    queue_limit: settings.integer('DEPUTY_QUEUE_LIMIT', { least: 1, most: 1_000_000, otherwise: 10_000 }),
    longest_wait_ms: settings.integer('DEPUTY_MAX_WAIT_MS', { least: 0, most: 60_000, otherwise: 300 }),
    http_threads: httpThreads(settings),
    rate_limit: settings.integer('DEPUTY_RATE_LIMIT', {
      least: 0,
      most: 1_000_000_000,
      otherwise: 3_000_000,
    }),
    connection_limit: settings.integer('DEPUTY_CONNECTION_LIMIT', {
      least: 1,
      most: 100_000,
      otherwise: 500,
    }),
    accepted_clock: acceptedClock(settings),
    witnesses,
    witness_quorum: witnessQuorum(settings, witnesses),
    database: databaseSettings(settings),
    log_origin: logOrigin(settings),
    checkpoint_file: settings.path('DEPUTY_CHECKPOINT_FILE') ?? join(data_dir, 'checkpoint'),
    checkpoint_interval_ms: settings.integer('DEPUTY_CHECKPOINT_INTERVAL_MS', {
      least: 100,
      most: 3_600_000,
      otherwise: 1000,
    }),
  }
  if (settings.problems.length > 0) throw new ConfigError(settings.problems)
  return Object.freeze(config)
}

/**
 * Returns a warning if a restored old copy of the data directory would go unnoticed. The checkpoint file shows that the
 * store is older than what was signed, but not if it is restored together with the store. With PostgreSQL it is already
 * separate from the database.
 */
export function restoreWarning({
  access,
  database,
  witnesses,
  data_dir,
  checkpoint_file,
}: Config): string | undefined {
  if (access === 'open' || database !== undefined || witnesses.length > 0) return undefined
  const path = relative(data_dir, checkpoint_file)
  if (path.startsWith('..') || isAbsolute(path)) return undefined
  return 'an old copy of the whole data directory would bring revoked tokens back unnoticed: set DEPUTY_CHECKPOINT_FILE to a path outside it, or name a witness in DEPUTY_WITNESSES'
}

/** Several threads can listen on one port only if the system distributes connections among them. */
function httpThreads(settings: SettingsReader): number {
  const threads = settings.integer('DEPUTY_HTTP_THREADS', { least: 1, most: 16, otherwise: 1 })
  if (threads > 1 && process.platform !== 'linux')
    settings.refuse(`DEPUTY_HTTP_THREADS=${threads} works on Linux only. Leave it unset.`)
  return threads
}

/** Requires both or neither: without a signature, a receiver can't tell an alert from a forged one. */
function safetySettings(settings: SettingsReader): Config['safety'] {
  const url = settings.text('DEPUTY_SAFETY_URL')
  const secret_file = settings.path('DEPUTY_SAFETY_SECRET_FILE')
  if (url === undefined && secret_file === undefined) return undefined
  if (!isSafeUrl(URL.parse(url ?? '')))
    settings.refuse(
      `DEPUTY_SAFETY_URL=${url ?? ''} must be an https address, such as https://safety.example.com/alerts. Plain http is accepted for localhost only.`,
    )
  if (secret_file === undefined)
    settings.refuse(
      'DEPUTY_SAFETY_URL needs DEPUTY_SAFETY_SECRET_FILE: a file with whsec_ and 24 to 64 random bytes in base64.',
    )
  return url !== undefined && secret_file !== undefined ? { url, secret_file } : undefined
}

function outboundAllowlist(settings: SettingsReader): OutboundAllowlist {
  const { allowlist, problems: found } = readAllowlist(settings.text('DEPUTY_OUTBOUND_ALLOW') ?? '')
  settings.refuse(...found.map((problem) => `DEPUTY_OUTBOUND_ALLOW: ${problem}`))
  return allowlist
}

/** Reads the quorum. One above the number of witnesses could never be reached. */
function witnessQuorum(settings: SettingsReader, witnesses: readonly WitnessEndpoint[]): number {
  const wanted = settings.integer('DEPUTY_WITNESS_QUORUM', { least: 0, most: 100, otherwise: 0 })
  if (wanted > witnesses.length)
    settings.refuse(
      `DEPUTY_WITNESS_QUORUM=${wanted} exceeds the ${witnesses.length} witnesses in DEPUTY_WITNESSES, so no checkpoint could be published. Lower it, or add witnesses.`,
    )
  return wanted
}

function engineSettings(settings: SettingsReader, data_dir: string): EngineConfig {
  const processes = settings.integer('DEPUTY_ENGINE_PROCESSES', { least: 1, most: 64, otherwise: 0 })
  return {
    mode: settings.oneOf('DEPUTY_ENGINE', ['auto', 'off'], 'auto'),
    root: join(data_dir, 'engine'),
    copied: settings.path('DEPUTY_ENGINE_DIR'),
    processes: processes === 0 ? undefined : processes,
    nets_file: settings.path('DEPUTY_ENGINE_NETS'),
  }
}

function acceptedClock(settings: SettingsReader): string | undefined {
  const text = settings.text('DEPUTY_ACCEPT_CLOCK')
  if (text === undefined) return undefined
  if (Number.isNaN(Date.parse(text)) || new Date(text).toISOString() !== text)
    settings.refuse(
      `DEPUTY_ACCEPT_CLOCK=${text} must be the instant of the newest log entry, exactly as the refused start printed it, such as 2026-01-31T12:00:00.000Z.`,
    )
  return text
}

function logOrigin(settings: SettingsReader): string | undefined {
  const origin = settings.text('DEPUTY_LOG_ORIGIN')
  if (origin === undefined) return undefined
  if (!isKeyName(origin))
    settings.refuse(
      `DEPUTY_LOG_ORIGIN=${origin} must not contain spaces or plus signs. Use the log's address without https://, such as log.example.com/deputy.`,
    )
  return origin
}
