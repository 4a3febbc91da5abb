import { join, resolve } from 'node:path'
import {
  ExpectedFailure,
  StopFailed,
  type StopOrder,
  StopRefused,
  type StopReport,
  stopInDatabase,
  stopInDirectory,
} from '@deputize/server/stop'
import { NotConfirmed, UsageError } from '../client/exit.ts'
import { databaseOf } from '../database/database-url.ts'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { errorText } from '../start-problems.ts'
import { confirmsStop, isAttended, ownTerminal } from '../terminal/confirm-stop.ts'
import { tellLeftOut } from '../terminal/left-out.ts'
import { tellMigrationWait } from '../terminal/migration-wait.ts'
import { count } from '../terminal/words.ts'

/** The options as typed. */
export interface StopCommandOptions {
  token?: string
  agent?: string
  human?: string
  allOfTenant?: string
  tenant: string
  reason?: string
  data?: string
  database?: string
  masterKey?: string
  json?: boolean
  yes?: boolean
}

/** Carries out the order, prints the result, and returns the exit code. */
export async function runStop(options: StopCommandOptions, env: Environment): Promise<ExitCode> {
  try {
    const order = orderOf(options)
    await assertConfirmed(order, options)
    const report = await stopAt(order, options, env)
    process.stdout.write(options.json === true ? `${JSON.stringify(report)}\n` : reportText(order, report))
    return EXIT.done
  } catch (error) {
    const exit_code = exitCodeOf(error)
    const text = exit_code === EXIT.failed ? `Stopping failed unexpectedly: ${error}` : errorText(error)
    process.stderr.write(options.json === true ? `${JSON.stringify({ error: text })}\n` : `${text}\n`)
    return exit_code
  }
}

/** Asks on a terminal only. The store may be in use or broken, so nothing is counted first. */
async function assertConfirmed({ target }: StopOrder, { yes, json }: StopCommandOptions): Promise<void> {
  if (yes === true || json === true) return
  const terminal = ownTerminal()
  if (!isAttended(terminal)) return
  if (!(await confirmsStop(`Stops ${targetText(target)}; cannot be undone.`, 'Stop', terminal)))
    throw new NotConfirmed()
}

function targetText(target: StopOrder['target']): string {
  if ('token' in target)
    return `the token ${target.token}, the one that it renews, and every token below them`
  if ('agent' in target) return `every token of the agent ${target.agent}, and suspends it`
  if ('human' in target) return `every agent that acts for ${target.human}`
  return `every agent of the tenant ${target.tenant}`
}

function orderOf({ token, agent, human, allOfTenant, tenant, reason }: StopCommandOptions): StopOrder {
  if (token !== undefined) return { target: { token }, reason }
  if (agent !== undefined) return { target: { agent, tenant_id: tenant }, reason }
  if (human !== undefined) return { target: { human }, reason }
  if (allOfTenant !== undefined) return { target: { tenant: allOfTenant }, reason }
  throw new UsageError('Say what to stop: --token, --agent, --human or --all-of-tenant.')
}

/** Like the service, uses the database if one is named, and otherwise the data directory. */
function stopAt(
  order: StopOrder,
  { data, database, masterKey }: StopCommandOptions,
  env: Environment,
): Promise<StopReport> {
  const data_dir = resolve(data ?? env.DEPUTY_DATA_DIR ?? './data')
  const url = databaseOf(data, database, env)
  if (url === undefined) return stopInDirectory({ data_dir, onLeftOut: tellLeftOut }, order)
  const master_key_file = resolve(masterKey ?? env.DEPUTY_MASTER_KEY_FILE ?? join(data_dir, 'master.key'))
  const allow_unsafe = env.DEPUTY_UNSAFE_DATABASE === 'I_MAY_LOSE_DATA'
  return stopInDatabase({ url, master_key_file, allow_unsafe, onMigrationWait: tellMigrationWait }, order)
}

function reportText({ target }: StopOrder, { revoked_count, already_stopped }: StopReport): string {
  const done = already_stopped
    ? 'Already stopped: nothing was left to revoke.'
    : `Stopped: ${count(revoked_count, 'token')} revoked.`
  const more = alsoStopped(target, already_stopped)
  return `${done}${more === '' ? '' : ` ${more}`}\n`
}

/** What else was stopped, or what still has to be. */
function alsoStopped(target: StopOrder['target'], already_stopped: boolean): string {
  if ('agent' in target)
    return already_stopped
      ? ''
      : `${target.agent} is suspended: an operator can resume it (deputy agents --help).`
  if ('human' in target)
    return `New tokens can still be issued in their name: deputy people refuse ${target.human} ends that.`
  if ('tenant' in target)
    return 'New tokens can still be issued: delete the API keys that issue them (deputy keys), or stop the service.'
  return ''
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof NotConfirmed) return EXIT.interrupted
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof StopRefused) return error.code === 'invalid_request' ? EXIT.usage : EXIT.refused
  if (error instanceof StopFailed && error.is_unreachable) return EXIT.unreachable
  return error instanceof ExpectedFailure ? EXIT.config : EXIT.failed
}
