import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  BackupUnreadable,
  type RestoreProgress,
  RestoreRefused,
  type RestoreReport,
  readBackupManifest,
  restore,
} from '@deputize/server/backup'
import { isSound, LOG_ALONE } from '../check/soundness.ts'
import { UsageError } from '../client/exit.ts'
import { databaseOf } from '../database/database-url.ts'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { errorText } from '../start-problems.ts'
import { tellMigrationWait } from '../terminal/migration-wait.ts'
import { count } from '../terminal/words.ts'
import { checkpointFileOf, isExpected, passphraseOf } from './run-backup.ts'
import { stepProgress } from './step-progress.ts'

/** The options as typed. */
export interface RestoreCommandOptions {
  from: string
  data?: string
  database?: string
  masterKey?: string
  checkpoint?: string
  newest?: string[]
  acceptLoss?: boolean
  events?: string
  json?: boolean
}

/** Restores a backup, prints the result, and returns the exit code. */
export async function runRestore(options: RestoreCommandOptions, env: Environment): Promise<ExitCode> {
  process.umask(0o077) // the files hold personal data and keys, so only this user may read them
  const json = options.json === true
  const progress = stepProgress(process.stderr, json)
  try {
    const report = await restored(options, env, progress.show)
    progress.end()
    process.stdout.write(json ? reportJson(report) : reportText(report))
    return report.check.fault_count === 0 ? EXIT.done : EXIT.fault
  } catch (error) {
    progress.end()
    const text = isExpected(error) ? errorText(error) : `Restoring failed unexpectedly: ${error}`
    process.stderr.write(json ? `${JSON.stringify({ error: text })}\n` : `${text}\n`)
    return exitCodeOf(error)
  }
}

async function restored(
  options: RestoreCommandOptions,
  env: Environment,
  onProgress: (progress: RestoreProgress) => void,
): Promise<RestoreReport> {
  const { data, database, masterKey, newest = [], events } = options
  const from = resolve(options.from)
  const passphrase = passphraseOf(env)
  const data_dir = resolve(data ?? env.DEPUTY_DATA_DIR ?? './data')
  const url = databaseOf(data, database, env)
  const master_key = masterKey ?? env.DEPUTY_MASTER_KEY_FILE
  const { log } = await readBackupManifest(from)
  return restore({
    from,
    passphrase,
    target:
      url === undefined
        ? { data_dir }
        : {
            url,
            data_dir,
            master_key_file: master_key === undefined ? undefined : resolve(master_key),
            allow_unsafe: env.DEPUTY_UNSAFE_DATABASE === 'I_MAY_LOSE_DATA',
          },
    checkpoint_file: checkpointFileOf(options.checkpoint, data_dir, env),
    known_notes: await Promise.all(newest.map((place) => noteAt(place, log.origin))),
    accepts_loss: options.acceptLoss === true,
    log_origin: env.DEPUTY_LOG_ORIGIN,
    events_file: events === undefined ? undefined : resolve(events),
    onProgress,
    onMigrationWait: tellMigrationWait,
  })
}

const ANSWER_MS = 10_000
const MOST_NOTE_CHARACTERS = 64 * 1024

/** Reads the checkpoint from a file, or the one that a witness keeps for the log. */
async function noteAt(place: string, origin: string): Promise<string> {
  try {
    if (!/^https?:\/\//.test(place)) return readFileSync(place, 'utf8')
    const address = `${place.replace(/\/+$/, '')}/${hash('sha256', origin, 'hex')}/checkpoint`
    const response = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })
    if (response.status !== 200) throw new Error(`it answered with ${response.status}`)
    return (await response.text()).slice(0, MOST_NOTE_CHARACTERS)
  } catch (error) {
    throw new UsageError(
      `--newest: the checkpoint at ${place} cannot be read: ${error instanceof Error ? error.message : error}. Name a checkpoint file or the URL of a witness.`,
    )
  }
}

function reportJson({ manifest, continuity, log, reapplied, check, ...rest }: RestoreReport): string {
  const { version, created_at, log: backed_up } = manifest
  const shown = {
    ...rest,
    backup: { version, created_at, log: backed_up },
    log: { ...log, ...continuity },
    reapplied,
    sound: isSound(check),
    tables_compared: check.tables_compared,
    fault_count: check.fault_count,
    faults: check.faults,
  }
  return `${JSON.stringify(shown)}\n`
}

function reportText(report: RestoreReport): string {
  const { manifest, master_key, kept_checkpoint } = report
  const lines = [
    `Restored the backup of ${manifest.created_at}: ${count(manifest.log.size, 'log entry', 'log entries')}.`,
    ...continuityText(report),
    ...(kept_checkpoint === undefined ? [] : [`The checkpoint that was there is now ${kept_checkpoint}.`]),
    checkText(report),
    ...(master_key === undefined ? [] : [`Copy ${master_key} to every node, then start the nodes.`]),
    'People sign in again: sessions are not restored.',
  ]
  return `${lines.join('\n')}\n`
}

function checkText({ check, log }: RestoreReport): string {
  if (check.fault_count > 0)
    return `The data has ${count(check.fault_count, 'fault')}. Run deputy check. The first one: ${check.faults[0]?.sentence}`
  if (!check.tables_compared) return LOG_ALONE
  return `Checked: all data follows from the log, which now has ${count(log.size, 'entry', 'entries')}.`
}

function continuityText(report: RestoreReport): string[] {
  const { manifest, continuity, log } = report
  if (continuity.continues)
    return [
      `The log ${log.origin} continues: the backup covers everything that was published.`,
      'Never start the old deployment again: two of them would sign two histories of one log.',
      ...(report.reapplied === undefined ? [] : reapplyText(report)),
    ]
  const { newest_size } = continuity
  return [
    newest_size === undefined
      ? `What was published after the backup is not known (--newest), so the log ${manifest.log.origin} has ended.`
      : `${count(newest_size - manifest.log.size, 'published entry is', 'published entries are')} lost, so the log ${manifest.log.origin} has ended.`,
    `A NEW LOG begins with the same entries: ${log.origin}`,
    `  ${log.vkey}`,
    'Tell everyone who follows or witnesses the old log.',
    `Tokens issued after the backup are unknown to the service, but verify offline until they expire. To end them: deputy signing-keys withdraw KID --from ${manifest.created_at}`,
    ...reapplyText(report),
    ...keysText(report),
  ]
}

function keysText({ api_keys }: RestoreReport): string[] {
  if (api_keys === 0) return []
  return [
    `${count(api_keys, 'API key works', 'API keys work')} as at the time of the backup, also if deleted or rotated since, with the old secret. Check them: deputy keys list`,
  ]
}

function reapplyText({ reapplied }: RestoreReport): string[] {
  if (reapplied === undefined)
    return [
      'Everything after the backup is lost. Revocations are undone: re-apply them (--events, or by hand).',
    ]
  const { applied, unknown, by_hand } = reapplied
  const others = Object.entries(by_hand).map(([what, times]) => `${what} (${times})`)
  return [
    `Re-applied ${count(applied, 'stop')} from the events${unknown === 0 ? '' : `; ${unknown} more concern what began after the backup`}.`,
    ...(others.length === 0 ? [] : [`Repeat by hand: ${others.join(', ')}.`]),
  ]
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof RestoreRefused && error.is_loss) return EXIT.refused
  return error instanceof BackupUnreadable || isExpected(error) ? EXIT.config : EXIT.failed
}
