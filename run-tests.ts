/**
 * Runs the tests: `node run-tests.ts [--fast] [--slow] [part of a path ...]`.
 *
 * --fast   Only the tests that need no PostgreSQL, no browser and no program of their own, and fewer random histories.
 * --slow   Lists the ten slowest files at the end.
 *
 * Up to three files that fail run once more, each alone; the summary names them.
 * The last line is `N passed, N failed`, followed by `, N skipped` if a test could not run on this machine.
 */
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordDurations, recordedDurations } from './testing/runner/durations.ts'
import { endAllJobs, type Job, type JobResult, runJob } from './testing/runner/job.ts'
import { durationKey, planOf } from './testing/runner/plan.ts'
import { Preparations } from './testing/runner/preparations.ts'
import { cpuTimeMs } from './testing/runner/processes.ts'
import { withSecondAttempt } from './testing/runner/second-attempt.ts'
import { fileDuration, hasFailed, resultLines, summary } from './testing/runner/summary.ts'
import { REPOSITORY } from './testing/source-imports.ts'

const LIMITS = { test_ms: 300_000, silence_ms: 600_000 }
/** Many tests wait for other programs, so there are two processes more than there are cores. */
const PROCESSES = availableParallelism() + 2

const { values, positionals } = parseArgs({
  options: { fast: { type: 'boolean', default: false }, slow: { type: 'boolean', default: false } },
  allowPositionals: true,
})

if (values.fast) process.env.MODEL_CASES ??= '10000'
process.env.NODE_COMPILE_CACHE ??= join(REPOSITORY, 'node_modules/.cache/compiled')
process.env.PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`

const began = performance.now()
const plan = planOf({ is_fast: values.fast, names: positionals }, recordedDurations())
const preparations = new Preparations(
  plan.flatMap(({ needs = [] }) => needs),
  async () => {
    await (await import('./integrations/install.ts')).install()
    return undefined
  },
)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, async () => {
    endAllJobs()
    await preparations.undo()
    process.exit(1)
  })

const { results, repeated } = await runAll(plan)
  .then((first) => withSecondAttempt(first, runAndPrint))
  .finally(async () => {
    endAllJobs() // if something could not be prepared
    await preparations.undo()
  })
recordDurations(
  new Map(
    results.flatMap((result) =>
      result.job.files.map((file) => [durationKey(file, result.job.variant), fileDuration(result, file)]),
    ),
  ),
)
const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`
console.log(
  `\nProcesses: ${results.length}, time: ${seconds(performance.now() - began)}, CPU: ${seconds(cpuTimeMs())}`,
)
if (repeated.length > 0) console.log(`\nFailed at first and ran once more, alone: ${repeated.join(', ')}`)
console.log(summary(results, values.slow))
process.exitCode = hasFailed(results) || results.length === 0 ? 1 : 0

async function runAll(jobs: readonly Job[]): Promise<JobResult[]> {
  const waiting = [...jobs]
  const done: JobResult[] = []
  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const index = waiting.findIndex(({ needs = [] }) => preparations.has(needs))
      const [job] = index < 0 ? [] : waiting.splice(index, 1)
      if (job === undefined) {
        await preparations.next()
        continue
      }
      const result = await runAndPrint(job)
      done.push(result)
      // The other files of a process that crashed get processes of their own.
      if (job.files.length > 1) for (const file of result.unfinished) waiting.push({ ...job, files: [file] })
    }
  }
  await Promise.all(Array.from({ length: PROCESSES }, work))
  return done
}

async function runAndPrint(job: Job): Promise<JobResult> {
  const result = await runJob(job, LIMITS)
  console.log(resultLines(result))
  return result
}
