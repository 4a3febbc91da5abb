import { join, resolve } from 'node:path'
import { addressOf, checkData, checkDatabase, type Report, Uncheckable } from '@deputize/server/check'
import { isDatabaseUrl } from '../database/database-url.ts'

const EXIT = { sound: 0, faults: 1, not_checked: 2 } as const
const MOST_SHOWN = 20

/** The options as they were typed. */
export interface CheckOptions {
  data?: string
  checkpoint?: string
  database?: string
  masterKey?: string
  json?: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Checks a store, prints what was found, and answers the exit code. */
export async function check(options: CheckOptions, env: Environment): Promise<number> {
  const { json = false } = options
  const progress = progressLine(json)
  try {
    const { report, place } = await checked(options, env, progress.show)
    progress.clear()
    process.stdout.write(json ? jsonOf(report) : textOf(report, place))
    return report.fault_count === 0 ? EXIT.sound : EXIT.faults
  } catch (error) {
    progress.clear()
    const problem = error instanceof Uncheckable ? error.message : `The check itself failed: ${error}`
    process.stderr.write(json ? `${JSON.stringify({ error: problem })}\n` : `${problem}\n`)
    return EXIT.not_checked
  }
}

/** As the service itself, it takes the database where one is named, and else the files of the data directory. */
async function checked(
  { data, checkpoint, database, masterKey }: CheckOptions,
  env: Environment,
  onProgress: (leaves: number) => void,
): Promise<{ report: Report; place: string }> {
  const data_dir = resolve(data ?? env.DEPUTY_DATA_DIR ?? './data')
  const checkpoint_file = resolve(checkpoint ?? env.DEPUTY_CHECKPOINT_FILE ?? join(data_dir, 'checkpoint'))
  const url = database ?? env.DEPUTY_DATABASE_URL
  if (url === undefined)
    return { report: await checkData({ data_dir, checkpoint_file, onProgress }), place: data_dir }
  if (!isDatabaseUrl(url))
    throw new Uncheckable('Name the database: --database postgres://user:password@host:5432/deputy')
  const master_key = masterKey ?? env.DEPUTY_MASTER_KEY_FILE
  const master_key_file = master_key === undefined ? undefined : resolve(master_key)
  const report = await checkDatabase({ url, data_dir, master_key_file, checkpoint_file, onProgress })
  return { report, place: addressOf(url) }
}

function jsonOf({ leaves, signed, faults, fault_count }: Report): string {
  return `${JSON.stringify({ sound: fault_count === 0, leaves, signed, fault_count, faults })}\n`
}

function textOf({ leaves, signed, faults, fault_count }: Report, place: string): string {
  const unsigned = leaves - signed
  const lines = [
    `Checked ${count(leaves, 'leaf', 'leaves')} of the log, and everything else in ${place} against them.`,
    ...(unsigned > 0
      ? [`The last ${unsigned} were not signed yet, so only the store itself vouches for them.`]
      : []),
    ...(fault_count === 0
      ? ['Sound: everything follows from the log.']
      : [`Found ${count(fault_count, 'fault', 'faults')}:`, ...shownFaults(faults, fault_count)]),
  ]
  return `${lines.join('\n')}\n`
}

function shownFaults(faults: Report['faults'], fault_count: number): string[] {
  const shown = faults.slice(0, MOST_SHOWN).map(({ sentence }) => `  - ${sentence}`)
  const rest = fault_count - shown.length
  return rest === 0 ? shown : [...shown, `  and ${rest} more; --json shows them.`]
}

function count(n: number, one: string, many: string): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`
}

/** One line that is written over again, on a terminal only. */
function progressLine(isSilent: boolean) {
  const isShown = !isSilent && process.stderr.isTTY
  let last_ms = 0
  return {
    show(leaves: number): void {
      if (!isShown || performance.now() - last_ms < 100) return
      last_ms = performance.now()
      process.stderr.write(`\r  ${count(leaves, 'leaf', 'leaves')} checked`)
    },
    clear(): void {
      if (isShown) process.stderr.write('\r\x1b[K')
    },
  }
}
