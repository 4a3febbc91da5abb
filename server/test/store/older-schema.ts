import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { migrateDatabase } from '../../src/store/postgres/migrate-database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import type { Row } from '../../src/store/values.ts'

/** A store with the schema of an earlier version. */
export interface OlderStore {
  query(sql: string): Promise<Row[]>
  /** Applies the missing migrations and returns their names. */
  migrate(): Promise<string[]>
}

/** The names and texts of the migrations of a dialect, in order. */
function migrationsOf(dialect: 'sqlite' | 'postgres') {
  const directory = new URL(`../../migrations/${dialect}/`, import.meta.url)
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, directory), 'utf8') }))
}

/** A file with the first `count` migrations. */
export function olderFile(scope: TestScope, count: number): OlderStore {
  const db = new DatabaseSync(join(temporaryDirectory(scope), 'deputy.db'))
  scope.after(() => db.close())
  const all = migrationsOf('sqlite')
  for (const { text } of all.slice(0, count)) db.exec(text)
  db.exec(`PRAGMA user_version = ${count}`)
  return {
    query: async (sql) =>
      db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
    async migrate() {
      migrate(db)
      return all.slice(count).map(({ name }) => name)
    },
  }
}

/** A database with the first `count` migrations. */
export async function olderDatabase(scope: TestScope, count: number): Promise<OlderStore> {
  const url = await aDatabase(scope)
  await command(url, 'CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL)')
  for (const [index, { name, text }] of migrationsOf('postgres').slice(0, count).entries()) {
    await command(url, text)
    await command(url, 'INSERT INTO migrations (number, name) VALUES ($1, $2)', [index + 1, name])
  }
  return {
    query: (sql) => command(url, sql),
    migrate: async () => (await migrateDatabase(url)).applied,
  }
}
