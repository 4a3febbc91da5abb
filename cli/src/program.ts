import type { Command } from 'commander'
import { addBackupCommands } from './backup/commands.ts'
import { addCheckCommand } from './check.ts'
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
import { addIssueCommand } from './commands/issue.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addListenCommand } from './commands/listen.ts'
import { addPeopleCommand } from './commands/people.ts'
import { addRateCommand } from './commands/rate.ts'
import { addRecordCommand } from './commands/record.ts'
import { addReputationCommand } from './commands/reputation.ts'
import { addRevokeCommand } from './commands/revoke.ts'
import { addShowCommand } from './commands/show.ts'
import { addSigningKeysCommand } from './commands/signing-keys.ts'
import { addStatsCommand } from './commands/stats.ts'
import { addTailCommand } from './commands/tail.ts'
import { addTenantsCommand } from './commands/tenants.ts'
import { addTokensCommand } from './commands/tokens.ts'
import { addTrustCommand } from './commands/trust.ts'
import { addVouchCommand } from './commands/vouch.ts'
import { addWebhooksCommand } from './commands/webhooks.ts'
import { addDatabaseCommands } from './database/commands.ts'
import { addMcpCommands } from './mcp/commands.ts'
import { type CommandGroup, programOf, VERSION } from './program-frame.ts'
import { addStartCommand } from './start.ts'
import { addStopCommand } from './stop.ts'
import { addVerificationCommand } from './verification/command.ts'
import { addVerifyCommand } from './verify.ts'
import { addWitnessCommand } from './witness/command.ts'

/** The commands as the help page lists them. */
const COMMAND_GROUPS: readonly CommandGroup[] = [
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
    [
      addShowCommand,
      addTailCommand,
      addStatsCommand,
      addReputationCommand,
      addAlertsCommand,
      addTrustCommand,
      addListenCommand,
    ],
  ],
  ['Prove:', [addVerifyCommand, addAuditCommand, addCheckCommand, addWitnessCommand]],
  [
    'Administer:',
    [
      addAgentsCommand,
      addTokensCommand,
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
  return programOf(COMMAND_GROUPS)
}

function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`${VERSION}\n`)
    })
}
