import { writeSync } from 'node:fs'

/** What a test process reports to the runner, one JSON text per line. */
export type Report =
  | {
      readonly kind: 'started'
      readonly file: string
      readonly name: string
      /** The processor time of the process so far, without that of its programs. */
      readonly own_cpu_ms: number
    }
  | TestOutcome
  | { readonly kind: 'note'; readonly file: string; readonly text: string }
  | { readonly kind: 'child'; readonly pid: number; readonly is_running: boolean }
  | { readonly kind: 'cpu'; readonly cpu_ms: number }

export interface TestOutcome {
  readonly kind: 'outcome'
  readonly file: string
  /** The names of the suites around the test, then its own. */
  readonly path: readonly string[]
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly is_suite: boolean
  readonly duration_ms: number
  /** Why it failed, or why it was skipped. */
  readonly reason?: string
}

/** The file descriptor that the runner opens for reports. */
const REPORTS_FD = 3

/** The environment variable that is set if the runner listens to the test process. */
export const RUNNER_LISTENS = 'DEPUTY_TEST_RUNNER'

/** Read at the start, because tests change the environment, and a result may be reported meanwhile. */
const isHeard = process.env[RUNNER_LISTENS] !== undefined

/** Writes synchronously: a report is out before the process can crash. */
export function report(entry: Report): void {
  if (!isHeard) return
  writeSync(REPORTS_FD, `${JSON.stringify(entry)}\n`)
}
