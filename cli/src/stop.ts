import { type Command, Option } from 'commander'
import { addHelpParagraph } from './help-layout.ts'
import type { StopCommandOptions } from './stop/run-stop.ts'

const TARGETS = ['token', 'agent', 'human', 'allOfTenant']

/** `deputy stop`: revokes at the data directory or the database, without HTTP. */
export function addStopCommand(program: Command): void {
  const target = (flags: string, description: string, name: string) =>
    new Option(flags, description).conflicts(TARGETS.filter((other) => other !== name))
  const command = program
    .command('stop')
    .summary('revoke tokens without HTTP, at the data directory or database')
    .description('revoke tokens at the data directory or the database, without HTTP and without a credential')
    .addOption(
      target('--token <jti>', 'revoke a token, the one that it renews, and every token below them', 'token'),
    )
    .addOption(target('--agent <agent_id>', 'revoke every token of an agent and suspend it', 'agent'))
    .addOption(target('--human <human_ref>', 'revoke every token of a person', 'human'))
    .addOption(target('--all-of-tenant <tenant_id>', 'revoke every token of a tenant', 'allOfTenant'))
    .option('--tenant <tenant_id>', 'the tenant of the agent', 'default')
    .option('--reason <text>', 'why, in your own words')
    .option('-d, --data <directory>', 'data directory (DEPUTY_DATA_DIR; default: ./data)')
    .option('--database <url>', 'a shared PostgreSQL database (DEPUTY_DATABASE_URL)')
    .option(
      '--master-key <file>',
      'the master key that encrypts its keys (DEPUTY_MASTER_KEY_FILE; default: master.key in the data directory)',
    )
    .option('--json', 'print the result as JSON')
    .option('--yes', 'do not ask on a terminal; scripts are never asked')
    .action(async (options: StopCommandOptions) => {
      // Loaded on demand: it needs the store and the rules of the service.
      const { runStop } = await import('./stop/run-stop.ts')
      process.exitCode = await runStop(options, process.env)
    })
  addHelpParagraph(
    command,
    'For emergencies, when the service cannot be reached. A service that uses the data directory carries the order out within a second, even if no connection reaches it. If no service is running, the command does it. Each revocation is logged as usual.',
  )
  addHelpParagraph(
    command,
    'Exit codes: 0 done, 2 invalid options, 3 the service that uses the directory did not react or could not answer, 4 refused (unknown token, agent or person), 78 no deployment there, or it cannot be read or written.',
  )
}
