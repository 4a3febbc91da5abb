import { join, resolve } from 'node:path'
import { checkData, type Report, Uncheckable } from '@deputy/server/check'
import type { Command } from 'commander'

const EXIT = { sound: 0, faults: 1, not_checked: 2 } as const
const MOST_SHOWN = 20

/** `deputy check`: everything that is stored, recomputed from the signed log. */
export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('recompute everything in a data directory from its signed log, and compare')
    .option('-d, --data <directory>', 'where the store and the keys are kept (DEPUTY_DATA_DIR, ./data)')
    .option(
      '-c, --checkpoint <file>',
      'the last signed checkpoint (DEPUTY_CHECKPOINT_FILE, checkpoint in the data directory)',
    )
    .option('--json', 'print every fault as JSON')
    .addHelpText(
      'after',
      '\nChanges nothing, and works while the service runs. Exits with 0 when all is sound, 1 when there are faults,\n2 when it could not be checked.',
    )
    .action(async (options: CheckOptions) => {
      process.exitCode = await check(options, process.env)
    })
}

interface CheckOptions {
  data?: string
  checkpoint?: string
  json?: boolean
}

/** Checks a data directory, prints what was found, and answers the exit code. */
async function check(
  { data, checkpoint, json = false }: CheckOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const data_dir = resolve(data ?? env.DEPUTY_DATA_DIR ?? './data')
  const checkpoint_file = resolve(checkpoint ?? env.DEPUTY_CHECKPOINT_FILE ?? join(data_dir, 'checkpoint'))
  const progress = progressLine(json)
  try {
    const report = await checkData({ data_dir, checkpoint_file, onProgress: progress.show })
    progress.clear()
    process.stdout.write(json ? jsonOf(report) : textOf(report, data_dir))
    return report.fault_count === 0 ? EXIT.sound : EXIT.faults
  } catch (error) {
    progress.clear()
    const problem = error instanceof Uncheckable ? error.message : `The check itself failed: ${error}`
    process.stderr.write(json ? `${JSON.stringify({ error: problem })}\n` : `${problem}\n`)
    return EXIT.not_checked
  }
}

function jsonOf({ leaves, signed, faults, fault_count }: Report): string {
  return `${JSON.stringify({ sound: fault_count === 0, leaves, signed, fault_count, faults })}\n`
}

function textOf({ leaves, signed, faults, fault_count }: Report, data_dir: string): string {
  const unsigned = leaves - signed
  const lines = [
    `Checked ${count(leaves, 'leaf', 'leaves')} of the log, and everything else in ${data_dir} against them.`,
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
