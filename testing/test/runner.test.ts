import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '../eventually.ts'
import { type JobLimits, type JobResult, runJob } from '../runner/job.ts'
import { withSecondAttempt } from '../runner/second-attempt.ts'
import { summary } from '../runner/summary.ts'
import { temporaryDirectory } from '../scope.ts'

const LIMITS: JobLimits = { test_ms: 20_000, silence_ms: 30_000 }
/** A process that starts slowly, on a busy machine, must not count as hung. */
const SILENCE_MS = 12_000
const fixture = (name: string) => `testing/test/fixtures/${name}.ts`

async function aRun(
  context: TestContext,
  name: string,
  limits: Partial<JobLimits> = {},
): Promise<{ result: JobResult; pids: () => number[] }> {
  const PIDS_FILE = join(temporaryDirectory(context), 'pids.json')
  const result = await runJob({ files: [fixture(name)], env: { PIDS_FILE } }, { ...LIMITS, ...limits })
  return { result, pids: () => JSON.parse(readFileSync(PIDS_FILE, 'utf8')) }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ') // a zombie has ended
  } catch {
    return false
  }
}

const lastLine = (result: JobResult) => summary([result], false).split('\n').at(-1)

describe('the test runner', { concurrency: true }, () => {
  test('ends the programs that a failing test leaves running', async (context) => {
    const { result, pids } = await aRun(context, 'leaves-a-child')
    assert.equal(result.outcomes[0]?.result, 'failed')
    assert.equal(pids().length, 2)
    await eventually('the programs end', async () => !pids().some(isRunning))
  })

  test('ends a process that hangs, with all programs below it, and names the test', async (context) => {
    const { result, pids } = await aRun(context, 'hangs-with-a-child', { silence_ms: SILENCE_MS })
    assert.match(result.faults.join(), /hangs-with-a-child\.ts: never gives the event loop back/)
    assert.equal(pids().length, 2)
    await eventually('the programs end', async () => !pids().some(isRunning))
  })

  test('fails a test at its limit and runs the next', async (context) => {
    const { result } = await aRun(context, 'waits-forever', { test_ms: 300 })
    assert.deepEqual(
      result.outcomes.map((outcome) => outcome.result),
      ['failed', 'passed'],
    )
    assert.equal(lastLine(result), '1 passed, 1 failed')
  })

  test('counts and names a test that could not run', async (context) => {
    const { result } = await aRun(context, 'is-skipped')
    assert.equal(lastLine(result), '1 passed, 0 failed, 1 skipped')
    assert.match(
      summary([result], false),
      /is-skipped\.ts > needs a machine with a loop device: no loop device here/,
    )
  })

  test('counts the processor time of ended programs and of programs that still run', async (context) => {
    const { result } = await aRun(context, 'keeps-programs-busy')
    assert.ok(Number(result.cpu_ms) > (process.platform === 'linux' ? 1_000 : 0), String(result.cpu_ms))
  })

  test('counts a crashed process as a failure', async (context) => {
    const { result } = await aRun(context, 'crashes')
    assert.match(result.faults.join(), /SIGKILL/)
    assert.equal(lastLine(result), '0 passed, 1 failed')
  })

  test('reruns a failed file alone, and names it', async (context) => {
    const { result: failed } = await aRun(context, 'waits-forever', { test_ms: 300 })
    const passed: JobResult = {
      ...failed,
      outcomes: failed.outcomes.map((outcome) => ({ ...outcome, result: 'passed' as const })),
    }
    const jobs: unknown[] = []
    const attempts = await withSecondAttempt([failed], async (job) => {
      jobs.push(job)
      return passed
    })
    assert.deepEqual(jobs, [failed.job])
    assert.deepEqual(attempts.repeated, [fixture('waits-forever')])
    assert.equal(summary(attempts.results, false).split('\n').at(-1), '2 passed, 0 failed')
  })

  test('reruns nothing if more than three files failed', async (context) => {
    const { result } = await aRun(context, 'waits-forever', { test_ms: 300 })
    const results = [result, result, result, result]
    const attempts = await withSecondAttempt(results, () => assert.fail('a second attempt'))
    assert.deepEqual(attempts, { results, repeated: [] })
  })
})
