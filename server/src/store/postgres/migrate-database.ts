import { addressOf, connectAtStart } from './address.ts'
import { type MigrationListener, migrate, type PendingMigration, pendingMigrations } from './migrate.ts'

/** Migrates a database to the schema of this version, and returns the migrations it applied. */
export async function migrateDatabase(
  url: string,
  listener: MigrationListener = {},
): Promise<{ readonly address: string; readonly applied: string[] }> {
  const client = await connectAtStart(url, 'migrate')
  try {
    return { address: addressOf(url), ...(await migrate(client, listener)) }
  } finally {
    await client.end()
  }
}

/** Returns the migrations that the next start would apply to a database. Changes nothing. */
export async function pendingInDatabase(
  url: string,
): Promise<{ readonly address: string; readonly pending: PendingMigration[] }> {
  const client = await connectAtStart(url, 'plan')
  try {
    return { address: addressOf(url), pending: await pendingMigrations(client) }
  } finally {
    await client.end()
  }
}
