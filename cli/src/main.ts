import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addCheckCommand } from './check.ts'
import { endingWithUsage } from './client/running.ts'
import { addAgentsCommand } from './commands/agents.ts'
import { addApprovalsCommand } from './commands/approvals.ts'
import { addAuthorizeCommand } from './commands/authorize.ts'
import { addBenchCommand } from './commands/bench.ts'
import { addCancelCommand } from './commands/cancel.ts'
import { addCompleteCommand } from './commands/complete.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDelegateCommand } from './commands/delegate.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addExamples } from './commands/examples.ts'
import { addIssueCommand } from './commands/issue.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addRateCommand } from './commands/rate.ts'
import { addRecordCommand } from './commands/record.ts'
import { addRevokeCommand } from './commands/revoke.ts'
import { addShowCommand } from './commands/show.ts'
import { addTailCommand } from './commands/tail.ts'
import { addTenantsCommand } from './commands/tenants.ts'
import { addDatabaseCommands } from './database/commands.ts'
import { addMcpCommands } from './mcp/commands.ts'
import type { VerifyOptions } from './verify/question.ts'
import { verify } from './verify.ts'
import { addWitnessCommand } from './witness/command.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const program = new Command('deputy')
  .description('A verified human lets an AI agent act in their name, within limits, and stays accountable.')
  .version(version)

program
  .command('start')
  .description('run the service, on its embedded store or as a node on DEPUTY_DATABASE_URL')
  .option('-p, --port <number>', 'port to listen on (PORT, 8420)')
  .option('--host <address>', 'address to listen on; any but loopback takes keyed mode (HOST, 127.0.0.1)')
  .option('-d, --data <directory>', 'where the store and the keys are kept (DEPUTY_DATA_DIR, ./data)')
  .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (DEPUTY_LOG_LEVEL, warn)')
  .addHelpText('after', '\nOptions win over the environment variables in brackets.')
  .action(async (options: StartOptions) => {
    // The service is large, and only this command needs it.
    const { main } = await import('@deputize/server')
    await main({ ...process.env, ...settingsOf(options) })
  })

program
  .command('verify')
  .description('check a log, a proof pack or a receipt, and trust nobody')
  .argument('<target>', 'address of a service, or a file: a proof pack or a receipt')
  .option('--key <vkey>', 'the key of the log, from a source you trust')
  .option('--state <directory>', 'where keys and checkpoints are kept ($XDG_STATE_HOME/deputy)')
  .option('--quick', 'look only at what is new since the last time')
  .option('--witness <vkey>', 'the key of a witness who must have signed (repeatable)', collect)
  .option('--quorum <number>', 'how many of the witnesses must have signed (all)')
  .option('--max-age <seconds>', 'how long ago the last witness may have signed')
  .option('--workflow <ref>', 'tell where the log speaks of this workflow')
  .option('--against <address>', 'check the log of a file too, and that the file leaves nothing out')
  .option('--api-key-file <file>', 'the API key of an auditor, where the service asks for one')
  .option('--json', 'print the outcome as JSON')
  .addHelpText(
    'after',
    '\nExits with 0 when sound, 1 when something is untrue, 2 when it could not be checked.',
  )
  .action(async (target: string, options: VerifyOptions) => {
    process.exitCode = await verify(target, options)
  })

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

addCheckCommand(program)
addWitnessCommand(program)
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
addApprovalsCommand(program)
addKeysCommand(program)
addTenantsCommand(program)
addMcpCommands(program)
addDemoCommand(program)
addBenchCommand(program)
addCompletionCommand(program)
addExamples(program)

interface StartOptions {
  port?: string
  host?: string
  data?: string
  logLevel?: string
}

/** The options under the names that the service knows, without those that were not given. */
function settingsOf({ port, host, data, logLevel }: StartOptions): Record<string, string> {
  return {
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
    ...(data !== undefined && { DEPUTY_DATA_DIR: data }),
    ...(logLevel !== undefined && { DEPUTY_LOG_LEVEL: logLevel }),
  }
}

// Elsewhere than here 1 has meanings of its own, such as that a check found faults.
for (const command of program.commands) endingWithUsage(command)
await endingWithUsage(program).parseAsync()
