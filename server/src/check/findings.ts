/** One fault that a check found. */
export interface Fault {
  readonly table: string
  /** The key of the row; empty if the fault concerns the whole table. */
  readonly key: string
  /** What is wrong and what is expected, in one sentence. */
  readonly sentence: string
}

/** Faults beyond this number are only counted. */
const MOST_KEPT = 100_000

/** Collects the faults that checks find. */
export interface Findings {
  readonly faults: readonly Fault[]
  /** The total number of faults, including those that were only counted. */
  count(): number
  add(table: string, key: string | number, sentence: string): void
}

export function noFindings(): Findings {
  const faults: Fault[] = []
  let count = 0
  return {
    faults,
    count: () => count,
    add(table, key, sentence) {
      count += 1
      if (faults.length < MOST_KEPT) faults.push({ table, key: String(key), sentence })
    },
  }
}

export type ExpectedColumns = Readonly<Record<string, unknown>>

/** Compares a row column by column. Columns that aren't in `expected` are ignored. */
export function compareColumns(
  findings: Findings,
  table: string,
  key: string | number,
  row: ExpectedColumns,
  expected: ExpectedColumns,
): void {
  for (const column in expected) {
    if (isSame(row[column], expected[column])) continue
    findings.add(
      table,
      key,
      `Column ${column} of ${table} ${key} is ${displayValue(row[column])}, but the log implies ${displayValue(expected[column])}.`,
    )
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0
}

const MOST_SHOWN = 80

/** A value for a message: short, on one line. */
export function displayValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (value instanceof Uint8Array)
    return value.length > 16
      ? `${value.length} bytes starting with ${Buffer.from(value.subarray(0, 8)).toString('hex')}`
      : `the bytes ${Buffer.from(value).toString('hex')}`
  if (typeof value !== 'string') return String(value)
  const text = JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}
