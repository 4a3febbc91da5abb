import { migrationFiles } from '../store/postgres/migration-files.ts'
import { newestSchema } from '../store/sqlite/schema-drift.ts'
import type { BackupManifest } from './manifest.ts'
import { RestoreRefused } from './restore-options.ts'

/** The SQLite schema with the columns of a PostgreSQL backup, by the backup's number of migrations. 11 is the first. */
const LIKE_POSTGRES: Readonly<Record<number, number>> = { 11: 14, 12: 15, 13: 16, 14: 16, 15: 17, 16: 17 }

/** The first SQLite schema that has the tables and columns of this version. Later ones added indexes. */
const SAME_COLUMNS_SINCE = 15

/** Returns the SQLite schema that takes the rows of a backup. Undefined if this version knows none. */
export function schemaFor({ store, schema }: Pick<BackupManifest, 'store' | 'schema'>): number | undefined {
  if (store === 'sqlite') return schema
  return schema === migrationFiles().length ? newestSchema().version : LIKE_POSTGRES[schema]
}

/** Throws if the backup can't be restored there. It has the tables of the version that made it. */
export function assertRestorable(manifest: BackupManifest, intoDatabase: boolean): void {
  const { store, schema, version, created_at } = manifest
  const newest = { sqlite: newestSchema().version, postgres: migrationFiles().length }[store]
  const columns = schemaFor(manifest)
  if (schema > newest || columns === undefined)
    throw new RestoreRefused(`The backup was made by version ${version}. Use that version or a newer one.`)
  if (intoDatabase && columns < SAME_COLUMNS_SINCE)
    throw new RestoreRefused(
      `The backup was made by version ${version}, which had other tables. Restore it into a data directory, then move it to the database with \`deputy move\`.`,
    )
  if (Date.parse(created_at) > Date.now())
    throw new RestoreRefused(
      `The backup is from ${created_at}, which is later than the clock of this machine. Correct the clock.`,
    )
}
