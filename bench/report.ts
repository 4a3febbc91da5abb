import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { RESULTS } from './servers.ts'

/** The load average of the minute before the start. Above the number of cores, the bench had to share the machine. */
const LOAD_AT_START = loadavg()[0] ?? Number.NaN

/** Prints a table and writes two files: the figures as JSON named by date, and the table as Markdown. */
export function writeReport(
  kind:
    | 'latest'
    | 'audit'
    | 'captures'
    | 'dashboard'
    | 'distance'
    | 'events'
    | 'growth'
    | 'log'
    | 'keyed'
    | 'guards'
    | 'verify'
    | 'mcp'
    | 'overload'
    | 'postgres'
    | 'postgres-growth',
  settings: object,
  figures: object,
  table: readonly (readonly string[])[],
  /** Lines for what doesn't fit into the table. */
  lines: readonly string[] = [],
): void {
  const context = {
    date: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load_at_start: LOAD_AT_START,
    commit: commit(),
    settings,
  }
  const text = markdownTable(table)
  const head = `Node ${context.node}, ${context.cores} cores (${context.processor}), load ${LOAD_AT_START.toFixed(1)} at the start, commit ${context.commit}, ${context.date.slice(0, 10)}`
  const name = context.date.replaceAll(':', '-').replace(/\.\d+Z$/, 'Z')
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(
    join(RESULTS, `${name}${kind === 'latest' ? '' : `-${kind}`}.json`),
    `${JSON.stringify({ ...context, figures }, undefined, 2)}\n`,
  )
  writeFileSync(
    join(RESULTS, `${kind}.md`),
    `${head}. Settings: ${JSON.stringify(settings)}.\n\n${text}\n${lines.map((line) => `\n- ${line}`).join('')}${lines.length === 0 ? '' : '\n'}`,
  )
  process.stdout.write(`\n${head}\n\n${text}\n\n`)
}

/** The columns of a table by title, each with a function that returns its cell for a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/** One line of titles, then one line for each row. */
export function tableOf<Row>(rows: readonly Row[], columns: Columns<Row>): string[][] {
  return [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => cell(row)))]
}

/** One column for each stage of a growing store, one line for each figure. */
export function stageTable<Stage>(stages: readonly Stage[], lines: Columns<Stage>): string[][] {
  return Object.entries(lines).map(([title, cell]) => [title, ...stages.map(cell)])
}

/** Aligns the first column left and the others right. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => line(row.map((cell, column) => padded(cell, widths[column] ?? 0, column))))
  const rule = line(
    widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)),
  )
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function padded(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', cwd: RESULTS }).trim()
    const isChanged = git('status', '--porcelain', '--', ':/', ':(exclude,top)bench') !== ''
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '')
  } catch {
    return 'unknown'
  }
}
