import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addBackupCommands } from './backup/commands.ts'
import { addCheckCommand } from './check.ts'
import { checkRequiredOptions } from './client/required-options.ts'
import { endingWithUsage } from './client/running.ts'
import { addAgentsCommand } from './commands/agents.ts'
import { addAlertsCommand } from './commands/alerts.ts'
import { addApprovalsCommand } from './commands/approvals.ts'
import { addAuditCommand } from './commands/audit.ts'
import { addAuthorizeCommand } from './commands/authorize.ts'
import { addBenchCommand } from './commands/bench.ts'
import { addBioEvalCommand } from './commands/bio-eval.ts'
import { addCancelCommand } from './commands/cancel.ts'
import { addCompleteCommand } from './commands/complete.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDelegateCommand } from './commands/delegate.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addExamples } from './commands/examples.ts'
import { addIssueCommand } from './commands/issue.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addListenCommand } from './commands/listen.ts'
import { addPeopleCommand } from './commands/people.ts'
import { addRateCommand } from './commands/rate.ts'
import { addRecordCommand } from './commands/record.ts'
import { addRevokeCommand } from './commands/revoke.ts'
import { addShowCommand } from './commands/show.ts'
import { addSigningKeysCommand } from './commands/signing-keys.ts'
import { addStatsCommand } from './commands/stats.ts'
import { addTailCommand } from './commands/tail.ts'
import { addTenantsCommand } from './commands/tenants.ts'
import { addTrustCommand } from './commands/trust.ts'
import { addVouchCommand } from './commands/vouch.ts'
import { addWebhooksCommand } from './commands/webhooks.ts'
import { addDatabaseCommands } from './database/commands.ts'
import { addHelpParagraph, fitHelp } from './help-layout.ts'
import { addMcpCommands } from './mcp/commands.ts'
import { addStopCommand } from './stop.ts'
import { addVerificationCommand } from './verification/command.ts'
import { addVerifyCommand } from './verify.ts'
import { addWitnessCommand } from './witness/command.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The commands as the help page lists them. */
const COMMAND_GROUPS: readonly (readonly [
  heading: string,
  adders: readonly ((program: Command) => void)[],
])[] = [
  ['Run:', [addStartCommand, addDemoCommand, addMcpCommands]],
  [
    'Act:',
    [
      addIssueCommand,
      addDelegateCommand,
      addAuthorizeCommand,
      addRecordCommand,
      addCompleteCommand,
      addCancelCommand,
      addApprovalsCommand,
      addRateCommand,
      addVouchCommand,
      addRevokeCommand,
      addStopCommand,
    ],
  ],
  [
    'Watch:',
    [addShowCommand, addTailCommand, addStatsCommand, addAlertsCommand, addTrustCommand, addListenCommand],
  ],
  ['Prove:', [addVerifyCommand, addAuditCommand, addCheckCommand, addWitnessCommand]],
  [
    'Administer:',
    [
      addAgentsCommand,
      addPeopleCommand,
      addKeysCommand,
      addSigningKeysCommand,
      addTenantsCommand,
      addWebhooksCommand,
      addBackupCommands,
      addDatabaseCommands,
      addVerificationCommand,
      addBioEvalCommand,
      addBenchCommand,
    ],
  ],
  ['Help:', [addCompletionCommand, addVersionCommand]],
]

/** The command `deputy` with all its subcommands. */
export function deputyProgram(): Command {
  const program = fitHelp(new Command('deputy'))
    .description('The authority service for AI agents: an agent acts for a verified person, within limits.')
    .version(version)
  addHelpParagraph(program, 'Start with: deputy start, then in another terminal: deputy demo')
  for (const [heading, adders] of COMMAND_GROUPS) {
    program.commandsGroup(heading)
    for (const add of adders) add(program)
  }
  program.helpCommand('help [command]', 'show the help of a command')
  addExamples(program)
  checkRequiredOptions(program)
  // Exits with 2 for invalid options, because 1 has other meanings, such as faults found by a check.
  for (const command of program.commands) endingWithUsage(command)
  return endingWithUsage(program)
}

function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`${version}\n`)
    })
}

function addStartCommand(program: Command): void {
  const start = program
    .command('start')
    .summary('run the service')
    .description('run the service, on a data directory or as a node on DEPUTY_DATABASE_URL')
    .option('-p, --port <number>', 'port to listen on (PORT; default: 8420)')
    .option(
      '--host <address>',
      'address to listen on; any but loopback requires keyed mode (HOST; default: 127.0.0.1)',
    )
    .option(
      '-d, --data <directory>',
      'directory for the store and the keys (DEPUTY_DATA_DIR; default: ./data)',
    )
    .option(
      '--log-level <level>',
      'fatal, error, warn, info, debug, trace or silent (DEPUTY_LOG_LEVEL; default: warn)',
    )
    .action(async (options: StartOptions) => {
      // Loaded on demand: the service is large, and most commands do not need it.
      const { main } = await import('@deputize/server')
      await main({ ...process.env, ...startSettings(options) })
    })
  addHelpParagraph(start, 'Flags override the environment variables in parentheses.')
}

interface StartOptions {
  port?: string
  host?: string
  data?: string
  logLevel?: string
}

/** The given options, under the names of their environment variables. */
function startSettings({ port, host, data, logLevel }: StartOptions): Record<string, string> {
  return {
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
    ...(data !== undefined && { DEPUTY_DATA_DIR: data }),
    ...(logLevel !== undefined && { DEPUTY_LOG_LEVEL: logLevel }),
  }
}
