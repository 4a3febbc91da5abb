import type { Command } from 'commander'
import { type AddCommand, programOf, VERSION } from './program-frame.ts'

/** All commands, grouped as on the help page. Loading only the called command halves its start time. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommand>>>>> = {
  'Run:': {
    start: async () => (await import('./start.ts')).addStartCommand,
    demo: async () => (await import('./commands/demo.ts')).addDemoCommand,
    'mcp-guard': async () => (await import('./mcp/commands.ts')).addMcpGuardCommand,
    mcp: async () => (await import('./mcp/commands.ts')).addMcpCommand,
  },
  'Act:': {
    issue: async () => (await import('./commands/issue.ts')).addIssueCommand,
    delegate: async () => (await import('./commands/delegate.ts')).addDelegateCommand,
    authorize: async () => (await import('./commands/authorize.ts')).addAuthorizeCommand,
    record: async () => (await import('./commands/record.ts')).addRecordCommand,
    complete: async () => (await import('./commands/complete.ts')).addCompleteCommand,
    cancel: async () => (await import('./commands/cancel.ts')).addCancelCommand,
    approvals: async () => (await import('./commands/approvals.ts')).addApprovalsCommand,
    rate: async () => (await import('./commands/rate.ts')).addRateCommand,
    vouch: async () => (await import('./commands/vouch.ts')).addVouchCommand,
    revoke: async () => (await import('./commands/revoke.ts')).addRevokeCommand,
    stop: async () => (await import('./stop.ts')).addStopCommand,
  },
  'Watch:': {
    show: async () => (await import('./commands/show.ts')).addShowCommand,
    tail: async () => (await import('./commands/tail.ts')).addTailCommand,
    stats: async () => (await import('./commands/stats.ts')).addStatsCommand,
    reputation: async () => (await import('./commands/reputation.ts')).addReputationCommand,
    alerts: async () => (await import('./commands/alerts.ts')).addAlertsCommand,
    trust: async () => (await import('./commands/trust.ts')).addTrustCommand,
    listen: async () => (await import('./commands/listen.ts')).addListenCommand,
  },
  'Prove:': {
    verify: async () => (await import('./verify.ts')).addVerifyCommand,
    audit: async () => (await import('./commands/audit.ts')).addAuditCommand,
    check: async () => (await import('./check.ts')).addCheckCommand,
    witness: async () => (await import('./witness/command.ts')).addWitnessCommand,
  },
  'Administer:': {
    agents: async () => (await import('./commands/agents.ts')).addAgentsCommand,
    tokens: async () => (await import('./commands/tokens.ts')).addTokensCommand,
    people: async () => (await import('./commands/people.ts')).addPeopleCommand,
    keys: async () => (await import('./commands/keys.ts')).addKeysCommand,
    'signing-keys': async () => (await import('./commands/signing-keys.ts')).addSigningKeysCommand,
    tenants: async () => (await import('./commands/tenants.ts')).addTenantsCommand,
    webhooks: async () => (await import('./commands/webhooks.ts')).addWebhooksCommand,
    streams: async () => (await import('./commands/streams.ts')).addStreamsCommand,
    backup: async () => (await import('./backup/commands.ts')).addBackupCommand,
    restore: async () => (await import('./backup/commands.ts')).addRestoreCommand,
    migrate: async () => (await import('./database/commands.ts')).addMigrateCommand,
    move: async () => (await import('./database/commands.ts')).addMoveCommand,
    verification: async () => (await import('./verification/command.ts')).addVerificationCommand,
    'bio-eval': async () => (await import('./commands/bio-eval.ts')).addBioEvalCommand,
    bench: async () => (await import('./commands/bench.ts')).addBenchCommand,
  },
  'Help:': {
    completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
    version: async () => addVersionCommand,
  },
}

/** This command describes all others, so it needs them loaded. */
const ABOUT_ALL = 'completion'

/**
 * The command `deputy` with the subcommand `called`, or with all subcommands if none has that name: then the user gets
 * a list or a suggestion.
 */
export async function deputyProgram(called?: string): Promise<Command> {
  const isLoaded = needed(called)
  const groups = Object.entries(COMMANDS).map(async ([heading, commands]) => {
    const chosen = Object.entries(commands).filter(([name]) => isLoaded(name))
    return [heading, await Promise.all(chosen.map(([, load]) => load()))] as const
  })
  return programOf(await Promise.all(groups))
}

function needed(called: string | undefined): (name: string) => boolean {
  if (called === '--version' || called === '-V') return () => false
  const isCommand = Object.values(COMMANDS).some((commands) => Object.hasOwn(commands, called ?? ''))
  return isCommand && called !== ABOUT_ALL ? (name) => name === called : () => true
}

function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`${VERSION}\n`)
    })
}
