import type { Command } from 'commander'
import type { CheckOptions } from './check/run-check.ts'

/** `deputy check`: everything that is stored, recomputed from the signed log. */
export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('recompute everything that is stored from the signed log, and compare')
    .option('-d, --data <directory>', 'where the store and the keys are kept (DEPUTY_DATA_DIR, ./data)')
    .option(
      '-c, --checkpoint <file>',
      'the last signed checkpoint (DEPUTY_CHECKPOINT_FILE, checkpoint in the data directory)',
    )
    .option('--database <url>', 'a PostgreSQL that nodes share (DEPUTY_DATABASE_URL)')
    .option(
      '--master-key <file>',
      'what its keys are sealed with (DEPUTY_MASTER_KEY_FILE, master.key in the data directory)',
    )
    .option('--json', 'print every fault as JSON')
    .addHelpText(
      'after',
      '\nChanges nothing, and works while the service runs. Exits with 0 when all is sound, 1 when there are faults,\n2 when it could not be checked.',
    )
    .action(async (options: CheckOptions) => {
      // Everything that a check needs is large, and only this command needs it.
      const { check } = await import('./check/run-check.ts')
      process.exitCode = await check(options, process.env)
    })
}
