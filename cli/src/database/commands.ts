import type { Command } from 'commander'
import type { MigrateOptions, MoveCommandOptions } from './run-database.ts'

/** `deputy migrate` and `deputy move`: what is done to a database besides running on it. */
export function addDatabaseCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema of a database up to date; nodes also do it when they start')
    .option('--database <url>', 'the PostgreSQL (DEPUTY_DATABASE_URL)')
    .action(async (options: MigrateOptions) => {
      const { migrate, reporting } = await import('./run-database.ts')
      await reporting(() => migrate(options))
    })
  program
    .command('move')
    .description('move a deployment from its data directory into an empty PostgreSQL')
    .option(
      '--from <directory>',
      'the data directory (DEPUTY_DATA_DIR, ./data)',
      process.env.DEPUTY_DATA_DIR ?? './data',
    )
    .option('--to <url>', 'the PostgreSQL; best given as DEPUTY_DATABASE_URL, where no other user sees it')
    .option(
      '--master-key <file>',
      'what the keys are sealed with (DEPUTY_MASTER_KEY_FILE, master.key in the directory)',
    )
    .action(async (options: MoveCommandOptions) => {
      const { move, reporting } = await import('./run-database.ts')
      await reporting(() => move(options))
    })
}
