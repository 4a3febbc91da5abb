import { join, resolve } from 'node:path'
import { addressOf, type CheckReport, checkData, checkDatabase, Uncheckable } from '@deputize/server/check'
import { holdsDeployment } from '@deputize/server/database'
import { isDatabaseUrl } from '../database/database-url.ts'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { tellLeftOut } from '../terminal/left-out.ts'
import { type ProgressLine, progressLine } from '../terminal/progress-line.ts'
import { count } from '../terminal/words.ts'
import { isSound, LOG_ALONE } from './soundness.ts'

const MOST_PRINTED = 20

/** The options as typed. */
export interface CheckCommandOptions {
  data?: string
  checkpoint?: string
  database?: string
  masterKey?: string
  json?: boolean
}

/** Checks a store, prints the report, and returns the exit code. */
export async function runCheck(options: CheckCommandOptions, env: Environment): Promise<ExitCode> {
  const { json = false } = options
  const progress: ProgressLine = json
    ? { show: () => undefined, clear: () => undefined }
    : progressLine(process.stderr)
  try {
    const { report, place } = await checked(options, env, (leaves) =>
      progress.show(`  ${leafCount(leaves)} checked`),
    )
    progress.clear()
    process.stdout.write(json ? reportJson(report) : reportText(report, place))
    if (report.fault_count > 0) return EXIT.fault
    return report.tables_compared ? EXIT.done : EXIT.unchecked
  } catch (error) {
    progress.clear()
    const problem = error instanceof Uncheckable ? error.message : `The check failed unexpectedly: ${error}`
    process.stderr.write(json ? `${JSON.stringify({ error: problem })}\n` : `${problem}\n`)
    return EXIT.unchecked
  }
}

/**
 * Like the service, uses the database if one is named, and otherwise the data directory. If --data names a directory
 * with a store, such as a restored one, DEPUTY_DATABASE_URL is ignored, because no node uses that store.
 */
async function checked(
  { data, checkpoint, database, masterKey }: CheckCommandOptions,
  env: Environment,
  onProgress: (leaves: number) => void,
): Promise<{ report: CheckReport; place: string }> {
  const data_dir = resolve(data ?? env.DEPUTY_DATA_DIR ?? './data')
  const checkpoint_file = resolve(checkpoint ?? env.DEPUTY_CHECKPOINT_FILE ?? join(data_dir, 'checkpoint'))
  const isOwnStore = data !== undefined && holdsDeployment(data_dir)
  const url = database ?? (isOwnStore ? undefined : env.DEPUTY_DATABASE_URL)
  if (url === undefined)
    return {
      report: await checkData({ data_dir, checkpoint_file, onProgress, onLeftOut: tellLeftOut }),
      place: data_dir,
    }
  if (!isDatabaseUrl(url))
    throw new Uncheckable('--database must be a URL like postgres://user:password@host:5432/deputy.')
  const master_key = masterKey ?? env.DEPUTY_MASTER_KEY_FILE
  const master_key_file = master_key === undefined ? undefined : resolve(master_key)
  const report = await checkDatabase({ url, data_dir, master_key_file, checkpoint_file, onProgress })
  return { report, place: addressOf(url) }
}

function reportJson(report: CheckReport): string {
  const { leaves, signed, tables_compared, faults, fault_count } = report
  return `${JSON.stringify({ sound: isSound(report), tables_compared, leaves, signed, fault_count, faults })}\n`
}

/** The service doesn't start if the log is further ahead of the clock than this. */
const MOST_AHEAD_MS = 60_000

/** Reports a log that was written with a wrong clock. The data isn't faulty, but the service refuses to start on it. */
function aheadText(newest_ms: number): string[] {
  const ahead_ms = newest_ms - Date.now()
  if (ahead_ms <= MOST_AHEAD_MS) return []
  const newest = new Date(newest_ms).toISOString()
  return [
    `The newest leaf is from ${newest}, ${Math.round(ahead_ms / 1000)} s ahead of the clock of this machine: one of them is wrong. The service starts with DEPUTY_ACCEPT_CLOCK=${newest} only.`,
  ]
}

function reportText(report: CheckReport, place: string): string {
  const { leaves, newest_ms, signed, tables_compared, faults, fault_count } = report
  const unsigned = leaves - signed
  const lines = [
    `Checked ${leafCount(leaves)} of the log${tables_compared ? `, and all other data in ${place} against them` : ` in ${place}`}.`,
    ...(unsigned > 0 ? [`The last ${unsigned} are not covered by a signed checkpoint yet.`] : []),
    ...aheadText(newest_ms),
    ...(fault_count === 0
      ? [tables_compared ? 'Sound: all data follows from the log.' : LOG_ALONE]
      : [`Found ${count(fault_count, 'fault')}:`, ...shownFaults(faults, fault_count)]),
  ]
  return `${lines.join('\n')}\n`
}

function shownFaults(faults: CheckReport['faults'], fault_count: number): string[] {
  const shown = faults.slice(0, MOST_PRINTED).map(({ sentence }) => `  - ${sentence}`)
  const rest = fault_count - shown.length
  return rest === 0 ? shown : [...shown, `  ... and ${rest} more. Use --json to print all.`]
}

function leafCount(leaves: number): string {
  return count(leaves, 'leaf', 'leaves')
}
