import type { Command } from 'commander'
import { addHelpParagraph } from '../help-layout.ts'
import type { MigrateOptions, MoveCommandOptions } from './run-database.ts'

/** `deputy migrate`: brings the tables of a database up to date. */
export function addMigrateCommand(program: Command): void {
  const migrate = program
    .command('migrate')
    .summary('update the schema of a database')
    .description('update the schema of a database; nodes also do this when they start')
    .option('--database <url>', 'the PostgreSQL database (DEPUTY_DATABASE_URL)')
    .option('--plan', 'show what a start would change, without changing it')
    .option('--data <directory>', 'with --plan: the data directory of an embedded store')
    .action(async (options: MigrateOptions) => {
      const { runMigrate, reporting } = await import('./run-database.ts')
      await reporting(() => runMigrate(options))
    })
  addHelpParagraph(
    migrate,
    'Exit codes: 0 done, 2 unknown options, 70 failed, 78 the URL is invalid, or the store cannot be reached or migrated.',
  )
}

/** `deputy move`: moves a deployment from its data directory to PostgreSQL. */
export function addMoveCommand(program: Command): void {
  const move = program
    .command('move')
    .summary('move a deployment to an empty PostgreSQL database')
    .description('move a deployment from its data directory to an empty PostgreSQL database')
    .option(
      '--from <directory>',
      'the data directory (DEPUTY_DATA_DIR)',
      process.env.DEPUTY_DATA_DIR ?? './data',
    )
    .option('--to <url>', 'the database (DEPUTY_DATABASE_URL hides it from other users of this machine)')
    .option(
      '--master-key <file>',
      'the master key that encrypts the keys (DEPUTY_MASTER_KEY_FILE; default: master.key in the data directory)',
    )
    .action(async (options: MoveCommandOptions) => {
      const { runMove, reporting } = await import('./run-database.ts')
      await reporting(() => runMove(options))
    })
  addHelpParagraph(
    move,
    'Exit codes: 0 done, 2 unknown options, 70 failed, 78 cannot be moved from or to there.',
  )
}
