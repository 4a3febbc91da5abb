import { addressOf, connectAtStart } from './address.ts'
import { migrate } from './migrate.ts'

/** Brings a database up to date, and returns the migrations it applied. */
export async function migrateDatabase(
  url: string,
): Promise<{ readonly address: string; readonly applied: string[] }> {
  const client = await connectAtStart(url, 'migrate')
  try {
    return { address: addressOf(url), ...(await migrate(client)) }
  } finally {
    await client.end()
  }
}
