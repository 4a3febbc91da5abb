import { DatabaseSync } from 'node:sqlite'
import type { FormFault } from '../port.ts'
import { type Form, formFaults } from '../schema-drift.ts'
import { type Row, text } from '../values.ts'
import { openVault } from '../vault.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { people } from './people.ts'
import { internedKeys } from './row-keys.ts'
import { sealExisting } from './seal-existing.ts'

/** An empty store of this version, in memory. */
export function freshSchema(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  sealExisting(db, people(db, openVault(new Uint8Array(32)), internedKeys(db)))
  return db
}

export function schemaFaults(db: DatabaseSync): FormFault[] {
  const fresh = freshSchema()
  const faults = formFaults(schemaOf(db), schemaOf(fresh))
  const [here, newest] = [schemaVersion(db), schemaVersion(fresh)]
  if (here !== newest)
    faults.push({
      name: 'schema',
      sentence: `The schema says version ${here}, but this is version ${newest}.`,
    })
  fresh.close()
  return faults
}

/** Every table, index and trigger by its kind and name. */
function schemaOf(db: DatabaseSync): Form {
  const rows = db.prepare('SELECT type, name, tbl_name, coalesce(sql, tbl_name) AS sql FROM sqlite_schema')
  return new Map(rows.all().map((row: Row) => [`${text(row.type)} ${text(row.name)}`, text(row.sql)]))
}
