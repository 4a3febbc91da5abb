import { dirname, join, resolve } from 'node:path'
import {
  BackupFaulty,
  type BackupProgress,
  type BackupReport,
  backUp,
  type DeploymentPlace,
  ExpectedFailure,
} from '@deputize/server/backup'
import { LOG_ALONE } from '../check/soundness.ts'
import { UsageError } from '../client/exit.ts'
import { databaseOf } from '../database/database-url.ts'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { errorText } from '../start-problems.ts'
import { tellLeftOut } from '../terminal/left-out.ts'
import { count } from '../terminal/words.ts'
import { stepProgress } from './step-progress.ts'

/** The options as typed. */
export interface BackupCommandOptions {
  data?: string
  database?: string
  masterKey?: string
  checkpoint?: string
  to: string
  scratch?: string
  check: boolean
  json?: boolean
}

/** Backs a deployment up, prints the result, and returns the exit code. */
export async function runBackup(options: BackupCommandOptions, env: Environment): Promise<ExitCode> {
  process.umask(0o077) // the files hold personal data and keys, so only this user may read them
  const json = options.json === true
  const progress = stepProgress(process.stderr, json)
  try {
    const report = await backedUp(options, env, progress.show)
    progress.end()
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : reportText(report))
    return EXIT.done
  } catch (error) {
    progress.end()
    const text = isExpected(error) ? errorText(error) : `The backup failed unexpectedly: ${error}`
    process.stderr.write(json ? `${JSON.stringify({ error: text })}\n` : `${text}\n`)
    return exitCodeOf(error)
  }
}

function backedUp(
  options: BackupCommandOptions,
  env: Environment,
  onProgress: (progress: BackupProgress) => void,
): Promise<BackupReport> {
  const to = resolve(options.to)
  const place = placeOf(options, env)
  return backUp({
    place,
    to,
    passphrase: passphraseOf(env),
    checkpoint_file: checkpointFileOf(options.checkpoint, place.data_dir, env),
    scratch: resolve(options.scratch ?? dirname(to)),
    checks_content: options.check,
    onProgress,
    onLeftOut: tellLeftOut,
  })
}

/** Like the service, uses the database if one is named, and otherwise the data directory. */
function placeOf({ data, database, masterKey }: BackupCommandOptions, env: Environment): DeploymentPlace {
  const data_dir = resolve(data ?? env.DEPUTY_DATA_DIR ?? './data')
  const url = databaseOf(data, database, env)
  if (url === undefined) return { data_dir }
  const master_key = masterKey ?? env.DEPUTY_MASTER_KEY_FILE ?? join(data_dir, 'master.key')
  return { url, data_dir, master_key_file: resolve(master_key) }
}

export function checkpointFileOf(given: string | undefined, data_dir: string, env: Environment): string {
  return resolve(given ?? env.DEPUTY_CHECKPOINT_FILE ?? join(data_dir, 'checkpoint'))
}

export function passphraseOf({ DEPUTY_BACKUP_PASSPHRASE: passphrase }: Environment): string {
  if (passphrase !== undefined && passphrase !== '') return passphrase
  throw new UsageError(
    'Set DEPUTY_BACKUP_PASSPHRASE to the passphrase of the backup. It is not an option, because other users of this machine can see options.',
  )
}

function reportText(report: BackupReport): string {
  const { file, bytes, manifest, rows } = report
  const { log, created_at } = manifest
  return [
    `Backed up to ${file}: ${count(log.size, 'log entry', 'log entries')}, ${count(rows, 'row')}, ${bytes} bytes.`,
    `log        ${log.origin}, root ${log.root}`,
    `taken at   ${created_at}`,
    verifiedText(report),
    'Keep the passphrase separate from the file. Without it, the file cannot be restored.',
    '',
  ].join('\n')
}

function verifiedText({ checked, tables_compared }: BackupReport): string {
  if (!checked) return 'The file was read back. Its content was not checked (--no-check).'
  return tables_compared
    ? 'Verified: the file was read back and restored, and all data in it follows from the log.'
    : `Verified: the file was read back and restored. ${LOG_ALONE}`
}

export function isExpected(error: unknown): boolean {
  return error instanceof ExpectedFailure || error instanceof UsageError || isRefusedInput(error)
}

/** Whether the error is a failure of the store or the check. Their classes have no common base. */
function isRefusedInput(error: unknown): boolean {
  return error instanceof Error && ['UnreadableStore', 'DamagedStore', 'Uncheckable'].includes(error.name)
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof BackupFaulty) return EXIT.fault
  return isExpected(error) ? EXIT.config : EXIT.failed
}
