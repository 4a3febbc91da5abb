import type { CaptureOutcome } from '@deputize/testing/puppet/attack-table.ts'

/** What the table keeps of a capture. */
export interface TableEntry {
  readonly decision: CaptureOutcome['judgement']['decision']
  readonly causes: CaptureOutcome['causes']
}

export const CONTROL = 'control'
export const ANOTHER = 'another person'

/** Collects outcomes by kind of capture, and prints each at once. */
export function outcomeTable() {
  const outcomes = new Map<string, TableEntry[]>()
  return {
    note(kind: string, who: string, entry: TableEntry, line: string): void {
      outcomes.set(kind, [...(outcomes.get(kind) ?? []), entry])
      process.stdout.write(`${kind}: ${who}: ${line}\n`)
    },
    /** The rates so far, with counts. */
    print(): void {
      for (const [kind, entries] of outcomes) process.stdout.write(rate(kind, entries))
    },
  }
}

const RATE_NAMES: Readonly<Record<string, string>> = { [CONTROL]: 'BPCER', [ANOTHER]: 'FMR' }

function rate(kind: string, entries: readonly TableEntry[]): string {
  const passed = entries.filter(({ decision }) => decision === 'pass').length
  const share = (kind === CONTROL ? entries.length - passed : passed) / entries.length
  const decisions = tally(entries.map(({ decision }) => decision))
  const causes = tally(entries.flatMap((entry) => entry.causes))
  return `${kind} | ${RATE_NAMES[kind] ?? 'APCER'} ${(100 * share).toFixed(0)} % | n = ${entries.length} | ${decisions} | ${causes}\n`
}

function tally(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ')
}
