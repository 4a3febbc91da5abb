import type { SettingName } from './setting-names.ts'
import type { SettingsReader } from './settings-reader.ts'

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

const ONLY_WITH_DATABASE = [
  'DEPUTY_REPLICA_URL',
  'DEPUTY_MASTER_KEY_FILE',
  'DEPUTY_CLERK_HOST',
  'DEPUTY_CLERK_PORT',
] as const

/** Reads the database settings. They are refused without DEPUTY_DATABASE_URL, which was probably forgotten. */
export function databaseSettings(settings: SettingsReader): DatabaseConfig | undefined {
  const url = databaseUrl('DEPUTY_DATABASE_URL', settings)
  const replica_url = databaseUrl('DEPUTY_REPLICA_URL', settings)
  const pool = settings.integer('DEPUTY_DATABASE_POOL', { least: 1, most: 1000, otherwise: 10 })
  const unsafe = settings.oneOf('DEPUTY_UNSAFE_DATABASE', ['I_MAY_LOSE_DATA', 'no'], 'no')
  const clerk_host = clerkHost(settings)
  const clerk_port = settings.integer('DEPUTY_CLERK_PORT', { least: 0, most: 65_535, otherwise: 0 })
  if (url === undefined) {
    for (const name of ONLY_WITH_DATABASE)
      if (settings.text(name) !== undefined)
        settings.refuse(`${name} has no effect without a database. Set DEPUTY_DATABASE_URL too, or unset it.`)
    return undefined
  }
  return {
    url,
    replica_url,
    pool,
    allow_unsafe: unsafe === 'I_MAY_LOSE_DATA',
    master_key_file: settings.path('DEPUTY_MASTER_KEY_FILE'),
    clerk_host,
    clerk_port,
  }
}

/** Other nodes connect to this address, so it can't be the one that stands for all networks. */
function clerkHost(settings: SettingsReader): string {
  const host = settings.text('DEPUTY_CLERK_HOST') ?? '127.0.0.1'
  if (host === '0.0.0.0' || host === '::')
    settings.refuse(
      `DEPUTY_CLERK_HOST=${host} is not an address that other nodes can connect to. Set the private address of this machine.`,
    )
  return host
}

/** Reads the URL of a database. It may contain a password, so messages never repeat it. */
function databaseUrl(name: SettingName, settings: SettingsReader): string | undefined {
  const text = settings.text(name)
  if (text === undefined) return undefined
  const url = URL.parse(text)
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'
  if (!isPostgres || url.hostname === '' || url.pathname.length < 2)
    settings.refuse(`${name} must have the form postgres://user:password@host:5432/database.`)
  return text
}
