/** One thing that is not as it must be. */
export interface Fault {
  readonly table: string
  /** Which row, by its key; empty where the fault is of the table as a whole. */
  readonly key: string
  /** What is wrong and what it should be, in one sentence. */
  readonly sentence: string
}

/** Faults beyond this many are only counted: somebody who finds that many will not read them one by one. */
const MOST_KEPT = 100_000

/** Where checks write down what they find. */
export interface Findings {
  readonly faults: readonly Fault[]
  /** All of them, those included that were not kept. */
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

export type Columns = Readonly<Record<string, unknown>>

/** Compares a row with what it should hold, column by column. Columns that `expected` does not name are not looked at. */
export function compareColumns(
  findings: Findings,
  table: string,
  key: string | number,
  row: Columns,
  expected: Columns,
): void {
  for (const column in expected) {
    if (isSame(row[column], expected[column])) continue
    findings.add(
      table,
      key,
      `Column ${column} of ${table} ${key} holds ${shown(row[column])}, but from the log follows ${shown(expected[column])}.`,
    )
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0
}

const MOST_SHOWN = 80

/** A value for people: short, on one line. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (value instanceof Uint8Array)
    return value.length > 16
      ? `${value.length} bytes beginning ${Buffer.from(value.subarray(0, 8)).toString('hex')}`
      : `the bytes ${Buffer.from(value).toString('hex')}`
  if (typeof value !== 'string') return String(value)
  const text = JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}
