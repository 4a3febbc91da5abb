import { readdirSync, readFileSync } from 'node:fs'

const MIGRATIONS = new URL('../../../migrations/postgres/', import.meta.url)
export const MIGRATIONS_TABLE = 'migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL)'

/**
 * Marks a migration after which nodes that lack it must not write. The rest of the line says what they would do wrong.
 */
const STOPS_EARLIER_NODES = /^-- Stop earlier nodes first: (.+)$/m

/** Returns the names of this version's migrations, in order. */
export function migrationFiles(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

export function migrationText(name: string): string {
  return readFileSync(new URL(name, MIGRATIONS), 'utf8')
}

/** Returns the statements that create all tables of this version in an empty schema. */
export function wholeSchema(): string[] {
  return [`CREATE TABLE ${MIGRATIONS_TABLE}`, ...migrationFiles().map(migrationText)]
}

/** Returns what nodes of earlier versions would do wrong after this migration. Undefined if they may keep running. */
export function faultOfEarlierNodes(name: string): string | undefined {
  return STOPS_EARLIER_NODES.exec(migrationText(name))?.[1]
}

let known: number | undefined

/** Returns the number of this version's last migration. */
export function knownSchema(): number {
  known ??= migrationFiles().length
  return known
}

/** Returns the earliest schema whose nodes may write to a database with all migrations of this version. */
export function oldestSchema(): number {
  return migrationFiles().findLastIndex((name) => faultOfEarlierNodes(name) !== undefined) + 1
}

/** Returns the message for a node that may no longer write. */
export function outdatedNode(oldest: number): string {
  return `A newer version of Deputy has migrated the database. Nodes must know schema ${oldest} to write to it, and this one knows schema ${knownSchema()}. Start the newer version in its place.`
}
