import { isIP } from 'node:net'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { isKeyName } from '@deputize/protocol'
import { readWitnesses, type WitnessEndpoint } from './log/witnesses.ts'
import { isLoopback } from './loopback.ts'
import { nearestName } from './nearest-name.ts'
import { type OutboundAllowlist, readAllowlist } from './outbound/allowlist.ts'

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
  /** Whether a biometric verification needs a passkey beside it. */
  readonly l3_passkey: 'required' | 'optional'
  /** Origins of the sites that embed the widget. */
  readonly widget_origins: readonly string[]
  /** The file of the text that people accept before they enroll. Undefined: the text that comes with the service. */
  readonly consent_file: string | undefined
  /** The built-in verification engine. */
  readonly engine: EngineConfig
  /** Where alerts about coercion go. Undefined: they are only in the list of the safety desk. */
  readonly safety: { readonly url: string; readonly secret_file: string } | undefined
  /** Private targets that webhooks and other messages may go to, besides the public internet. */
  readonly outbound_allow: OutboundAllowlist
  /** Whether outgoing messages are off: webhooks, signals, messages to people and alerts. For drills with a copy. */
  readonly is_quiet: boolean
  /** The server that takes emails to people. Undefined: no email is sent. */
  readonly mail: MailConfig | undefined
  /** Commands that may wait for the disk. Beyond that callers get 503. */
  readonly queue_limit: number
  /** The longest expected wait of an accepted call. Beyond that, and earlier for calls that matter less, callers get 503. */
  readonly longest_wait_ms: number
  /** Threads that speak HTTP. 1: the main thread does. */
  readonly http_threads: number
  /** The name of the log. Undefined: it is derived from the deployment's id. */
  readonly log_origin: string | undefined
  /** Where the last signed checkpoint is stored, apart from the store itself. */
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
  /** Undefined: one less than the cores of the machine, 1 to 4. */
  readonly processes: number | undefined
  /** The file that declares the operator's own nets. */
  readonly nets_file: string | undefined
}

export interface MailConfig {
  readonly host: string
  readonly port: number
  /** Whether TLS begins with the connection. Otherwise it begins with STARTTLS. */
  readonly is_implicit_tls: boolean
  /** False only for a server on this machine. */
  readonly requires_tls: boolean
  readonly user: string | undefined
  readonly password_file: string | undefined
  readonly from: string
}

export interface DatabaseConfig {
  readonly url: string
  /** A standby for reads that may lag slightly. */
  readonly replica_url: string | undefined
  /** The largest number of connections for reads. */
  readonly pool: number
  /** Whether to accept a database that can lose acknowledged changes. */
  readonly allow_unsafe: boolean
  /** Undefined: `master.key` in the data directory. */
  readonly master_key_file: string | undefined
  /** Where other nodes reach this one, to have it write for them. */
  readonly clerk_host: string
  /** 0: the system chooses a port. */
  readonly clerk_port: number
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

export const SETTINGS = [
  'DEPUTY_DATA_DIR',
  'DEPUTY_ACCESS',
  'DEPUTY_PUBLIC_URL',
  'DEPUTY_TRUSTED_PROXIES',
  'DEPUTY_OIDC_FILE',
  'DEPUTY_IDV_FILE',
  'DEPUTY_LOG_LEVEL',
  'DEPUTY_PENDING_TTL_S',
  'DEPUTY_APPROVAL_TTL_S',
  'DEPUTY_BIOMETRIC_RETENTION_DAYS',
  'DEPUTY_VERIFICATION_RETENTION_DAYS',
  'DEPUTY_SAFETY_URL',
  'DEPUTY_SAFETY_SECRET_FILE',
  'DEPUTY_OUTBOUND_ALLOW',
  'DEPUTY_QUIET',
  'DEPUTY_SMTP_URL',
  'DEPUTY_SMTP_PASSWORD_FILE',
  'DEPUTY_MAIL_FROM',
  'DEPUTY_L3_PASSKEY',
  'DEPUTY_WIDGET_ORIGINS',
  'DEPUTY_CONSENT_FILE',
  'DEPUTY_ENGINE',
  'DEPUTY_ENGINE_DIR',
  'DEPUTY_ENGINE_PROCESSES',
  'DEPUTY_ENGINE_NETS',
  'DEPUTY_QUEUE_LIMIT',
  'DEPUTY_MAX_WAIT_MS',
  'DEPUTY_HTTP_THREADS',
  'DEPUTY_RATE_LIMIT',
  'DEPUTY_CONNECTION_LIMIT',
  'DEPUTY_ACCEPT_CLOCK',
  'DEPUTY_LOG_ORIGIN',
  'DEPUTY_CHECKPOINT_FILE',
  'DEPUTY_CHECKPOINT_INTERVAL_MS',
  'DEPUTY_WITNESSES',
  'DEPUTY_WITNESS_QUORUM',
  'DEPUTY_DATABASE_URL',
  'DEPUTY_REPLICA_URL',
  'DEPUTY_DATABASE_POOL',
  'DEPUTY_UNSAFE_DATABASE',
  'DEPUTY_MASTER_KEY_FILE',
  'DEPUTY_CLERK_HOST',
  'DEPUTY_CLERK_PORT',
] as const

/** Settings of programs that call a service. The service ignores them. */
const CALLER_SETTINGS: readonly string[] = [
  'DEPUTY_URL',
  'DEPUTY_API_KEY',
  'DEPUTY_TOKEN',
  'DEPUTY_AGENT_KEY',
  'DEPUTY_BACKUP_PASSPHRASE',
]

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. Throws a `ConfigError` with every problem at once. An empty variable is an unset one. */
export function readConfig(given: Environment): Config {
  const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  const problems: string[] = []
  refuseUnknown(env, problems)
  const { witnesses, problems: unreadable } = readWitnesses(env.DEPUTY_WITNESSES ?? '')
  problems.push(...unreadable.map((problem) => `DEPUTY_WITNESSES: ${problem}`))
  const data_dir = resolve(env.DEPUTY_DATA_DIR ?? './data')
  const host = hostSetting(env, problems)
  const port = integerSetting(env, 'PORT', 8420, 0, 65_535, problems)
  const access = accessMode(env, host, problems)
  const config: Config = {
    host,
    port,
    data_dir,
    access,
    is_access_explicit: (env.DEPUTY_ACCESS ?? 'auto') !== 'auto',
    public_url: publicUrl(env, { host, port, access }, problems),
    trusted_proxies: trustedProxies(env, problems),
    oidc_file: pathSetting(env.DEPUTY_OIDC_FILE),
    idv_file: pathSetting(env.DEPUTY_IDV_FILE),
    log_level: oneOf(env, 'DEPUTY_LOG_LEVEL', LOG_LEVELS, 'warn', problems),
    pending_ttl_s: integerSetting(env, 'DEPUTY_PENDING_TTL_S', 900, 1, 86_400, problems),
    approval_ttl_s: integerSetting(env, 'DEPUTY_APPROVAL_TTL_S', 3600, 1, 2_592_000, problems),
    biometric_retention_days: integerSetting(env, 'DEPUTY_BIOMETRIC_RETENTION_DAYS', 365, 1, 1095, problems),
    verification_retention_days: integerSetting(
      env,
      'DEPUTY_VERIFICATION_RETENTION_DAYS',
      365,
      1,
      3650,
      problems,
    ),
    l3_passkey: oneOf(env, 'DEPUTY_L3_PASSKEY', ['required', 'optional'], 'required', problems),
    widget_origins: widgetOrigins(env, problems),
    consent_file: pathSetting(env.DEPUTY_CONSENT_FILE),
    engine: engine(env, data_dir, problems),
    safety: safetySettings(env, problems),
    outbound_allow: outboundAllowlist(env, problems),
    is_quiet: oneOf(env, 'DEPUTY_QUIET', ['on', 'off'], 'off', problems) === 'on',
    mail: mailSettings(env, problems),
    queue_limit: integerSetting(env, 'DEPUTY_QUEUE_LIMIT', 10_000, 1, 1_000_000, problems),
    longest_wait_ms: integerSetting(env, 'DEPUTY_MAX_WAIT_MS', 300, 0, 60_000, problems),
    http_threads: httpThreads(env, problems),
    rate_limit: integerSetting(env, 'DEPUTY_RATE_LIMIT', 3_000_000, 0, 1_000_000_000, problems),
    connection_limit: integerSetting(env, 'DEPUTY_CONNECTION_LIMIT', 500, 1, 100_000, problems),
    accepted_clock: acceptedClock(env, problems),
    witnesses,
    witness_quorum: quorum(env, witnesses, problems),
    database: database(env, problems),
    log_origin: logOrigin(env, problems),
    checkpoint_file: resolve(env.DEPUTY_CHECKPOINT_FILE ?? join(data_dir, 'checkpoint')),
    checkpoint_interval_ms: integerSetting(
      env,
      'DEPUTY_CHECKPOINT_INTERVAL_MS',
      1000,
      100,
      3_600_000,
      problems,
    ),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

/**
 * What a restored copy of the data directory would not reveal. The checkpoint file shows that the store is older than what
 * was signed, but not if it is restored together with the store. On PostgreSQL it lies apart from the database already.
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

function refuseUnknown(env: Environment, problems: string[]): void {
  const known: readonly string[] = SETTINGS
  for (const name of Object.keys(env)) {
    if (name.startsWith('DEPUTY_') && !known.includes(name) && !CALLER_SETTINGS.includes(name)) {
      problems.push(
        `${name} is not a setting. ${suggestionFor(name, [...known, ...CALLER_SETTINGS]) ?? `The settings are HOST, PORT, ${known.join(', ')}.`}`,
      )
    }
  }
}

/** The setting with nearly the same letters, or else the one with the most parts in common. */
function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const parts = name.split('_').slice(1)
  const bySpelling = new Map(
    ['HOST', 'PORT', ...known].map((other) => [other.replace('DEPUTY_', '').replaceAll('_', ''), other]),
  )
  const spelled = nearestName(parts.join(''), [...bySpelling.keys()])
  if (spelled !== undefined) return `Did you mean ${bySpelling.get(spelled)}?`
  const shared = (other: string) => other.split('_').filter((part) => parts.includes(part)).length
  const [nearest] = known.toSorted((one, two) => shared(two) - shared(one) || one.length - two.length)
  return nearest === undefined || shared(nearest) === 0 ? undefined : `Did you mean ${nearest}?`
}

/** A name would be resolved at every start, maybe to another machine. */
function hostSetting(env: Environment, problems: string[]): string {
  const host = env.HOST ?? '127.0.0.1'
  if (host !== 'localhost' && isIP(host) === 0)
    problems.push(
      `HOST=${host} must be an IP address of this machine, 0.0.0.0 for all of them, or localhost.`,
    )
  return host
}

/** Open access trusts every caller, so only this machine may reach it. */
function accessMode(env: Environment, host: string, problems: string[]): Config['access'] {
  const wanted = oneOf(env, 'DEPUTY_ACCESS', ['auto', 'open', 'keyed'], 'auto', problems)
  if (wanted === 'auto') return isLocalName(host) ? 'open' : 'keyed'
  if (wanted === 'open' && !isLocalName(host))
    problems.push(
      `HOST=${host} lets other machines call, but open access trusts every caller. Set DEPUTY_ACCESS=keyed, or leave HOST unset to accept calls from this machine only.`,
    )
  return wanted
}

/** Several threads can listen at one port only where the system shares connections between them. */
function httpThreads(env: Environment, problems: string[]): number {
  const threads = integerSetting(env, 'DEPUTY_HTTP_THREADS', 1, 1, 16, problems)
  if (threads > 1 && process.platform !== 'linux')
    problems.push(`DEPUTY_HTTP_THREADS=${threads} works on Linux only. Leave it unset.`)
  return threads
}

/** Both or neither: without a signature, a receiver can't tell an alert from a forged one. */
function safetySettings(
  { DEPUTY_SAFETY_URL: url, DEPUTY_SAFETY_SECRET_FILE: file }: Environment,
  problems: string[],
): Config['safety'] {
  if (url === undefined && file === undefined) return undefined
  if (!isSafeUrl(URL.parse(url ?? '')))
    problems.push(
      `DEPUTY_SAFETY_URL=${url ?? ''} must be an https address, such as https://safety.example.com/alerts. Plain http is accepted for localhost only.`,
    )
  if (file === undefined)
    problems.push(
      'DEPUTY_SAFETY_URL needs DEPUTY_SAFETY_SECRET_FILE: a file with whsec_ and 24 to 64 random bytes in base64.',
    )
  return url !== undefined && file !== undefined ? { url, secret_file: resolve(file) } : undefined
}

function outboundAllowlist(env: Environment, problems: string[]): OutboundAllowlist {
  const { allowlist, problems: found } = readAllowlist(env.DEPUTY_OUTBOUND_ALLOW ?? '')
  problems.push(...found.map((problem) => `DEPUTY_OUTBOUND_ALLOW: ${problem}`))
  return allowlist
}

const MAIL_ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/

/** The password comes from a file: addresses of servers are printed, passwords are not. */
function mailSettings(env: Environment, problems: string[]): MailConfig | undefined {
  const { DEPUTY_SMTP_URL: text, DEPUTY_SMTP_PASSWORD_FILE: file, DEPUTY_MAIL_FROM: from = '' } = env
  if (text === undefined) {
    for (const name of ['DEPUTY_SMTP_PASSWORD_FILE', 'DEPUTY_MAIL_FROM'] as const)
      if (env[name] !== undefined)
        problems.push(`${name} has no effect without a mail server. Set DEPUTY_SMTP_URL too.`)
    return undefined
  }
  const url = URL.parse(text)
  const isMail = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  if (!isMail || url.hostname === '' || url.password !== '' || !['', '/'].includes(url.pathname)) {
    problems.push(
      'DEPUTY_SMTP_URL must have the form smtps://user@mail.example.com:465, or smtp:// for STARTTLS. The password belongs in the file that DEPUTY_SMTP_PASSWORD_FILE names.',
    )
    return undefined
  }
  if (!MAIL_ADDRESS.test(from))
    problems.push('DEPUTY_SMTP_URL needs DEPUTY_MAIL_FROM: the address that emails come from.')
  if ((url.username === '') !== (file === undefined))
    problems.push('DEPUTY_SMTP_URL with a user needs DEPUTY_SMTP_PASSWORD_FILE, and the file needs a user.')
  const is_implicit_tls = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (is_implicit_tls ? 465 : 587) : Number(url.port),
    is_implicit_tls,
    requires_tls: !isLocalName(url.hostname.toLowerCase()),
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    password_file: pathSetting(file),
    from,
  }
}

/** Credentials are sent to this address, so on a network it must be https. */
function publicUrl(
  env: Environment,
  { host, port, access }: Pick<Config, 'host' | 'port' | 'access'>,
  problems: string[],
): string {
  const text = env.DEPUTY_PUBLIC_URL
  if (text === undefined) {
    if (access === 'keyed' && !isLocalName(host))
      problems.push(
        `HOST=${host} lets other machines call. Set DEPUTY_PUBLIC_URL to the address that they use, such as https://deputy.example.com, or leave HOST unset to accept calls from this machine only.`,
      )
    else if (access === 'keyed' && port === 0)
      problems.push(
        'PORT=0 lets the system choose a port, but in keyed mode credentials are bound to the address. Set a fixed PORT or DEPUTY_PUBLIC_URL.',
      )
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  }
  const url = URL.parse(text)
  if (!isSafeUrl(url) || `${url.origin}/` !== url.href) {
    problems.push(
      `DEPUTY_PUBLIC_URL=${text} must be an https address without a path, such as https://deputy.example.com. Plain http is accepted for localhost only.`,
    )
    return text
  }
  return url.origin
}

/** Credentials and people are sent to such an address: https, or plain http on this machine. */
function isSafeUrl(url: URL | null): url is URL {
  if (url === null) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalName(url.hostname.toLowerCase()))
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || isLoopback(name)
}

function trustedProxies(env: Environment, problems: string[]): string[] {
  const addresses = (env.DEPUTY_TRUSTED_PROXIES ?? '').split(',').map((one) => one.trim())
  const named = addresses.filter((one) => one !== '')
  for (const one of named) {
    const [address = '', bits] = one.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      problems.push(`DEPUTY_TRUSTED_PROXIES: "${one}" is not an IP address or a range such as 10.0.0.0/8.`)
  }
  return named
}

/** A page of these sites may lead a person through a verification, so each is named in full. */
function widgetOrigins(env: Environment, problems: string[]): string[] {
  const named = (env.DEPUTY_WIDGET_ORIGINS ?? '').split(',').map((one) => one.trim())
  const origins = named.filter((one) => one !== '')
  for (const one of origins) {
    const url = URL.parse(one)
    if (!isSafeUrl(url) || url.origin !== one)
      problems.push(
        `DEPUTY_WIDGET_ORIGINS: "${one}" must be an https origin without a path, such as https://app.example.com. Plain http is accepted for localhost only.`,
      )
  }
  return origins
}

/** A quorum above the number of witnesses could never be reached. */
function quorum(env: Environment, witnesses: readonly WitnessEndpoint[], problems: string[]): number {
  const wanted = integerSetting(env, 'DEPUTY_WITNESS_QUORUM', 0, 0, 100, problems)
  if (wanted > witnesses.length)
    problems.push(
      `DEPUTY_WITNESS_QUORUM=${wanted} exceeds the ${witnesses.length} witnesses in DEPUTY_WITNESSES, so no checkpoint could be published. Lower it, or add witnesses.`,
    )
  return wanted
}

function engine(env: Environment, data_dir: string, problems: string[]): EngineConfig {
  const processes = integerSetting(env, 'DEPUTY_ENGINE_PROCESSES', 0, 1, 64, problems)
  return {
    mode: oneOf(env, 'DEPUTY_ENGINE', ['auto', 'off'], 'auto', problems),
    root: join(data_dir, 'engine'),
    copied: pathSetting(env.DEPUTY_ENGINE_DIR),
    processes: processes === 0 ? undefined : processes,
    nets_file: pathSetting(env.DEPUTY_ENGINE_NETS),
  }
}

const ONLY_WITH_DATABASE = [
  'DEPUTY_REPLICA_URL',
  'DEPUTY_MASTER_KEY_FILE',
  'DEPUTY_CLERK_HOST',
  'DEPUTY_CLERK_PORT',
] as const

/** Settings of a database are refused without DEPUTY_DATABASE_URL, which was probably forgotten. */
function database(env: Environment, problems: string[]): DatabaseConfig | undefined {
  const url = databaseUrl(env, 'DEPUTY_DATABASE_URL', problems)
  const replica_url = databaseUrl(env, 'DEPUTY_REPLICA_URL', problems)
  const pool = integerSetting(env, 'DEPUTY_DATABASE_POOL', 10, 1, 1000, problems)
  const unsafe = oneOf(env, 'DEPUTY_UNSAFE_DATABASE', ['I_MAY_LOSE_DATA', 'no'], 'no', problems)
  const clerk_host = clerkHost(env, problems)
  const clerk_port = integerSetting(env, 'DEPUTY_CLERK_PORT', 0, 0, 65_535, problems)
  if (url === undefined) {
    for (const name of ONLY_WITH_DATABASE)
      if (env[name] !== undefined)
        problems.push(`${name} has no effect without a database. Set DEPUTY_DATABASE_URL too, or unset it.`)
    return undefined
  }
  return {
    url,
    replica_url,
    pool,
    allow_unsafe: unsafe === 'I_MAY_LOSE_DATA',
    master_key_file: pathSetting(env.DEPUTY_MASTER_KEY_FILE),
    clerk_host,
    clerk_port,
  }
}

/** Other nodes connect to it, so it is the address of this machine and not that of all networks. */
function clerkHost(env: Environment, problems: string[]): string {
  const host = env.DEPUTY_CLERK_HOST ?? '127.0.0.1'
  if (host === '0.0.0.0' || host === '::')
    problems.push(
      `DEPUTY_CLERK_HOST=${host} is not an address that other nodes can connect to. Set the private address of this machine.`,
    )
  return host
}

/** The value may contain a password, so messages never repeat it. */
function databaseUrl(env: Environment, name: string, problems: string[]): string | undefined {
  const text = env[name]
  if (text === undefined) return undefined
  const url = URL.parse(text)
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'
  if (!isPostgres || url.hostname === '' || url.pathname.length < 2)
    problems.push(`${name} must have the form postgres://user:password@host:5432/database.`)
  return text
}

function acceptedClock(env: Environment, problems: string[]): string | undefined {
  const text = env.DEPUTY_ACCEPT_CLOCK
  if (text === undefined) return undefined
  if (Number.isNaN(Date.parse(text)) || new Date(text).toISOString() !== text)
    problems.push(
      `DEPUTY_ACCEPT_CLOCK=${text} must be the instant of the newest log entry, exactly as the refused start printed it, such as 2026-01-31T12:00:00.000Z.`,
    )
  return text
}

function logOrigin(env: Environment, problems: string[]): string | undefined {
  const origin = env.DEPUTY_LOG_ORIGIN
  if (origin === undefined) return undefined
  if (!isKeyName(origin))
    problems.push(
      `DEPUTY_LOG_ORIGIN=${origin} must not contain spaces or plus signs. Use the log's address without https://, such as log.example.com/deputy.`,
    )
  return origin
}

function pathSetting(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}

function integerSetting(
  env: Environment,
  name: string,
  otherwise: number,
  least: number,
  most: number,
  problems: string[],
): number {
  const text = env[name]
  if (text === undefined) return otherwise
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  problems.push(`${name}=${text} must be an integer from ${least} to ${most}.`)
  return otherwise
}

function oneOf<const T extends readonly string[]>(
  env: Environment,
  name: string,
  values: T,
  otherwise: T[number],
  problems: string[],
): T[number] {
  const text = env[name]
  if (text === undefined) return otherwise
  const value = values.find((candidate) => candidate === text)
  if (value !== undefined) return value
  problems.push(`${name}=${text} must be one of ${values.join(', ')}.`)
  return otherwise
}
