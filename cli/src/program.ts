import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addCheckCommand } from './check.ts'
import { endingWithUsage } from './client/running.ts'
import { addAgentsCommand } from './commands/agents.ts'
import { addApprovalsCommand } from './commands/approvals.ts'
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
import { addPeopleCommand } from './commands/people.ts'
import { addRateCommand } from './commands/rate.ts'
import { addRecordCommand } from './commands/record.ts'
import { addRevokeCommand } from './commands/revoke.ts'
import { addShowCommand } from './commands/show.ts'
import { addSigningKeysCommand } from './commands/signing-keys.ts'
import { addTailCommand } from './commands/tail.ts'
import { addTenantsCommand } from './commands/tenants.ts'
import { addTrustCommand } from './commands/trust.ts'
import { addVouchCommand } from './commands/vouch.ts'
import { addDatabaseCommands } from './database/commands.ts'
import { addHelpParagraph, fitHelp } from './help-layout.ts'
import { addMcpCommands } from './mcp/commands.ts'
import { addStopCommand } from './stop.ts'
import { addVerificationCommand } from './verification/command.ts'
import { addVerifyCommand } from './verify.ts'
import { addWitnessCommand } from './witness/command.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The command `deputy` with all its subcommands. */
export function deputyProgram(): Command {
  const program = fitHelp(new Command('deputy'))
    .description('The authority service for AI agents: an agent acts for a verified person, within limits.')
    .version(version)
  addHelpParagraph(program, 'Start with: deputy start, then in another terminal: deputy demo')
  addStartCommand(program)
  addVerifyCommand(program)
  addCheckCommand(program)
  addStopCommand(program)
  addWitnessCommand(program)
  addVerificationCommand(program)
  addDatabaseCommands(program)
  addIssueCommand(program)
  addDelegateCommand(program)
  addAuthorizeCommand(program)
  addRecordCommand(program)
  addCompleteCommand(program)
  addCancelCommand(program)
  addRateCommand(program)
  addRevokeCommand(program)
  addShowCommand(program)
  addTailCommand(program)
  addAgentsCommand(program)
  addPeopleCommand(program)
  addVouchCommand(program)
  addTrustCommand(program)
  addApprovalsCommand(program)
  addKeysCommand(program)
  addSigningKeysCommand(program)
  addTenantsCommand(program)
  addMcpCommands(program)
  addDemoCommand(program)
  addBioEvalCommand(program)
  addBenchCommand(program)
  addCompletionCommand(program)
  addExamples(program)
  // Exits with 2 for invalid options, because 1 has other meanings, such as faults found by a check.
  for (const command of program.commands) endingWithUsage(command)
  return endingWithUsage(program)
}

function addStartCommand(program: Command): void {
  const start = program
    .command('start')
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
