import type { MigrationHolder } from '@deputize/server/database'

/** Reports that a command waits, without a limit, until another connection has migrated the database. */
export function tellMigrationWait({ backend_pid, connection, address }: MigrationHolder): void {
  const from = address === undefined ? '' : ` from ${address}`
  process.stderr.write(
    `Waiting until another connection has migrated the database: ${connection === '' ? 'unnamed' : connection}${from}, backend ${backend_pid}.\n`,
  )
}
