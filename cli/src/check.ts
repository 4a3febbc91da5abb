import type { Command } from 'commander'
import type { CheckCommandOptions } from './check/run-check.ts'
import { addHelpParagraph } from './help-layout.ts'

/** `deputy check`: recomputes all stored data from the signed log. */
export function addCheckCommand(program: Command): void {
  const command = program
    .command('check')
    .description('recompute all stored data from the signed log and compare')
    .option('-d, --data <directory>', 'data directory (DEPUTY_DATA_DIR; default: ./data)')
    .option(
      '-c, --checkpoint <file>',
      'the last signed checkpoint (DEPUTY_CHECKPOINT_FILE; default: checkpoint in the data directory)',
    )
    .option('--database <url>', 'a shared PostgreSQL database (DEPUTY_DATABASE_URL)')
    .option(
      '--master-key <file>',
      'the master key that encrypts its keys (DEPUTY_MASTER_KEY_FILE; default: master.key in the data directory)',
    )
    .option('--json', 'print every fault as JSON')
    .action(async (options: CheckCommandOptions) => {
      // Loaded on demand: the check needs most of the server.
      const { runCheck } = await import('./check/run-check.ts')
      process.exitCode = await runCheck(options, process.env)
    })
  addHelpParagraph(command, 'Changes nothing, and works while the service runs.')
  addHelpParagraph(
    command,
    'Exit codes: 0 sound, 1 faults found, 2 could not be checked, or only the log could.',
  )
}
