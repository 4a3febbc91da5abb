import { DatabaseSync } from 'node:sqlite'
import type { FormFault } from '../port/store-tables.ts'
import { type Form, formFaults } from '../schema-drift.ts'
import { type Row, text } from '../values.ts'
import { openVault } from '../vault.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { sealExisting } from './seal-existing.ts'
import { people } from './write/people.ts'
import { internedKeys } from './write/row-keys.ts'

/** Creates the tables of this version in an empty store, or those of an earlier schema. */
export function createSchema(db: DatabaseSync, schema?: number): void {
  migrate(db, schema)
  sealExisting(db, people(db, openVault(new Uint8Array(32)), internedKeys(db)))
}

let newest: { readonly form: Form; readonly version: number } | undefined

/**
 * Returns the form and version of a new store. Computed once: migrating an empty store takes longer than most checks.
 */
export function newestSchema(): NonNullable<typeof newest> {
  if (newest !== undefined) return newest
  const fresh = new DatabaseSync(':memory:')
  createSchema(fresh)
  newest = { form: schemaOf(fresh), version: schemaVersion(fresh) }
  fresh.close()
  return newest
}

export function schemaFaults(db: DatabaseSync): FormFault[] {
  const { form, version } = newestSchema()
  const faults = formFaults(schemaOf(db), form)
  const here = schemaVersion(db)
  if (here !== version)
    faults.push({
      name: 'schema',
      sentence: `The schema says version ${here}, but this is version ${version}.`,
    })
  return faults
}

/** Returns every table, index and trigger by its kind and name. */
function schemaOf(db: DatabaseSync): Form {
  const rows = db.prepare('SELECT type, name, tbl_name, coalesce(sql, tbl_name) AS sql FROM sqlite_schema')
  return new Map(rows.all().map((row: Row) => [`${text(row.type)} ${text(row.name)}`, text(row.sql)]))
}
