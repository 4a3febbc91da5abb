import type { Dialect } from '../store/tables.ts'

/**
 * What anyone can read of a backup without its passphrase. Everything in it is public, or says nothing about people.
 */
export interface BackupManifest {
  /** The version of Deputy that made it. */
  readonly version: string
  readonly created_at: string
  readonly store: Dialect
  /** How many migrations the store had seen. */
  readonly schema: number
  readonly log: {
    readonly origin: string
    /** The public key of the log. */
    readonly vkey: string
    /** How many entries the backup holds. */
    readonly size: number
    /** Root hash over all of them, in base64. */
    readonly root: string
  }
  /** The last checkpoint that was signed before the backup began. */
  readonly checkpoint: string
}

export function isBackupManifest(value: object): value is BackupManifest {
  const { version, created_at, store, schema, log, checkpoint } = value as Partial<Record<string, unknown>> // each member is checked here
  return (
    typeof version === 'string' &&
    typeof created_at === 'string' &&
    !Number.isNaN(Date.parse(created_at)) &&
    (store === 'sqlite' || store === 'postgres') &&
    typeof schema === 'number' &&
    typeof checkpoint === 'string' &&
    isLog(log)
  )
}

function isLog(log: unknown): boolean {
  const { origin, vkey, size, root } = (log ?? {}) as Partial<Record<string, unknown>> // each member is checked here
  return [origin, vkey, root].every((text) => typeof text === 'string') && Number.isSafeInteger(size)
}
