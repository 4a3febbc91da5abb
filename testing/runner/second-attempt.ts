import type { Job, JobResult } from './job.ts'
import { durationKey } from './plan.ts'

/** A busy machine can break a file or two. More failures are a fault in the code, which a second attempt could hide. */
const MOST_FILES = 3

export interface Attempts {
  readonly results: readonly JobResult[]
  /** The files that ran twice, to be listed in the results. */
  readonly repeated: readonly string[]
}

/** Reruns failed files one at a time, each in its own process, and uses those results. */
export async function withSecondAttempt(
  results: readonly JobResult[],
  run: (job: Job) => Promise<JobResult>,
): Promise<Attempts> {
  const failed = results
    .map((result) => ({ result, files: failedFiles(result) }))
    .filter(({ files }) => files.length > 0)
  const count = failed.reduce((sum, { files }) => sum + files.length, 0)
  if (count > MOST_FILES) return { results, repeated: [] }

  const second: JobResult[] = []
  for (const { result, files } of failed)
    for (const file of files) second.push(await run({ ...result.job, files: [file] }))
  const filesOf = new Map(failed.map(({ result, files }) => [result, files]))
  return {
    results: [...results.map((result) => withoutFiles(result, filesOf.get(result) ?? [])), ...second],
    repeated: second.flatMap(({ job }) => job.files.map((file) => durationKey(file, job.variant))),
  }
}

/** A fault of the whole process counts as a failure of the files that it didn't finish, or else of all its files. */
function failedFiles({ job, outcomes, faults, unfinished }: JobResult): readonly string[] {
  const broken = faults.length === 0 ? [] : unfinished.length > 0 ? unfinished : job.files
  return job.files.filter(
    (file) =>
      broken.includes(file) ||
      outcomes.some((outcome) => outcome.file === file && outcome.result === 'failed'),
  )
}

function withoutFiles(result: JobResult, files: readonly string[]): JobResult {
  if (files.length === 0) return result
  return {
    ...result,
    job: { ...result.job, files: result.job.files.filter((file) => !files.includes(file)) },
    outcomes: result.outcomes.filter(({ file }) => !files.includes(file)),
    faults: [],
    unfinished: [],
  }
}
