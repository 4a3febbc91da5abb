import { styleText } from 'node:util'
import type { TestOutcome } from './channel.ts'
import type { JobResult } from './job.ts'
import { durationKey } from './plan.ts'

const SLOWEST = 10

/** One line for each file of a process that has ended. */
export function resultLines(result: JobResult): string {
  const { job, outcomes, faults } = result
  const lines = job.files.map((file) => {
    const own = outcomes.filter((outcome) => outcome.file === file)
    const failed = own.filter(isFailure).length
    const duration = durationText(result, file)
    const count = counted(own.filter(isCounted).length)
    const name = durationKey(file, job.variant)
    return failed > 0 || own.length === 0
      ? [styleText('red', `✖ ${name} (${failed} of ${count} failed, ${duration})`), ...failuresOf(own)].join(
          '\n',
        )
      : `✔ ${name} (${count}, ${duration})`
  })
  return [...lines, ...faults.map((fault) => styleText('red', `✖ ${fault}`))].join('\n')
}

function failuresOf(outcomes: readonly TestOutcome[]): string[] {
  return outcomes
    .filter(isFailure)
    .map(({ path, reason = '' }) => `  ${path.join(' > ')}\n${indented(reason)}`)
}

/** The duration of a file is that of its process, or in a pack the sum of its tests. */
export function fileDuration({ job, outcomes, duration_ms }: JobResult, file: string): number {
  if (job.files.length === 1) return duration_ms
  return outcomes
    .filter((outcome) => outcome.path.length === 1 && outcome.file === file)
    .reduce((sum, outcome) => sum + outcome.duration_ms, 0)
}

/** The duration, with the processor time of the process, or the file's share if files share a process. */
function durationText(result: JobResult, file: string): string {
  const { job, cpu_ms, file_cpu_ms } = result
  const duration = seconds(fileDuration(result, file))
  const own = job.files.length > 1 ? file_cpu_ms.get(file) : cpu_ms
  return own === undefined ? duration : `${duration}, CPU ${seconds(own)}`
}

/** Suites aren't counted, except those that were skipped or failed themselves, for example in a hook. */
function isCounted(outcome: TestOutcome): boolean {
  return outcome.result === 'passed' ? !outcome.is_suite : isFailure(outcome) || outcome.result === 'skipped'
}

/** A failed test without a reason failed because of the tests inside it. */
function isFailure({ result, reason }: TestOutcome): boolean {
  return result === 'failed' && reason !== ''
}

export function hasFailed(results: readonly JobResult[]): boolean {
  return results.some(
    ({ outcomes, faults }) => faults.length > 0 || outcomes.some(({ result }) => result === 'failed'),
  )
}

/** Everything that failed or was skipped, and the counts on the last line. */
export function summary(results: readonly JobResult[], showSlowest: boolean): string {
  const all = results.flatMap(({ job, outcomes }) =>
    outcomes.filter(isCounted).map((outcome) => ({ ...outcome, name: nameOf(outcome, job.variant) })),
  )
  const faults = results.flatMap(({ job, faults: own }) =>
    own.map((fault) => `${job.variant ?? ''} ${fault}`.trim()),
  )
  const failed = all.filter(isFailure)
  const skipped = all.filter(({ result }) => result === 'skipped')
  const counts = [
    `${all.length - failed.length - skipped.length} passed`,
    `${failed.length + faults.length} failed`,
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ]
  return [
    ...(showSlowest ? ['', 'Slowest files', ...slowest(results)] : []),
    ...(skipped.length > 0
      ? ['', 'Skipped', ...skipped.map(({ name, reason }) => `  ${name}: ${reason}`)]
      : []),
    ...(failed.length + faults.length > 0 ? ['', 'Failed'] : []),
    ...failed.map(({ name, reason = '' }) => `\n  ${name}\n${indented(reason)}`),
    ...faults.map((fault) => `\n${indented(fault)}`),
    '',
    counts.join(', '),
  ].join('\n')
}

function slowest(results: readonly JobResult[]): string[] {
  return results
    .flatMap((result) =>
      result.job.files.map((file) => ({
        name: durationKey(file, result.job.variant),
        duration: fileDuration(result, file),
        text: durationText(result, file),
      })),
    )
    .sort((a, b) => b.duration - a.duration)
    .slice(0, SLOWEST)
    .map(({ name, text }) => `  ${name}: ${text}`)
}

function nameOf({ file, path }: TestOutcome, variant: string | undefined): string {
  return `${durationKey(file, variant)} > ${path.join(' > ')}`
}

function counted(tests: number): string {
  return tests === 1 ? '1 test' : `${tests} tests`
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
