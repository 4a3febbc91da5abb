import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { REPOSITORY } from '../source-imports.ts'
import { type Report, RUNNER_LISTENS, type TestOutcome } from './channel.ts'
import { endProcess } from './end-process.ts'
import { memoryDisk } from './memory-disk.ts'
import type { Preparation } from './preparations.ts'

const REPORTER = fileURLToPath(new URL('reporter.ts', import.meta.url))
const BEFORE_TESTS = new URL('before-tests.ts', import.meta.url).href
/** How long a process may take to end after it is asked to. */
const GRACE_MS = 3_000
const OUTPUT_LIMIT = 20_000

/** Test files that run in turn in one process. */
export interface Job {
  readonly files: readonly string[]
  /** Says what is different about this run of the files, such as `on PostgreSQL`. */
  readonly variant?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether its temporary files must be on a real disk. */
  readonly is_durable?: boolean
  readonly needs?: readonly Preparation[]
}

export interface JobLimits {
  /** The limit of a test that does not set its own. */
  readonly test_ms: number
  /** The longest time without a report before the process counts as hung. */
  readonly silence_ms: number
}

export interface JobResult {
  readonly job: Job
  readonly outcomes: readonly TestOutcome[]
  readonly notes: readonly string[]
  /** What is wrong with the process as a whole: it hung, it crashed, a file could not run. */
  readonly faults: readonly string[]
  /** Files that the process didn't get to. */
  readonly unfinished: readonly string[]
  readonly duration_ms: number
  /** The processor time of the process and all programs that it started. Absent if it was killed. */
  readonly cpu_ms?: number
  /** The processor time of each file, if several share a process. */
  readonly file_cpu_ms: ReadonlyMap<string, number>
}

const running = new Set<RunningJob>()

/** Ends all processes of all jobs at once. */
export function endAllJobs(): void {
  for (const job of running) job.end()
}

export async function runJob(job: Job, limits: JobLimits): Promise<JobResult> {
  const began = performance.now()
  const started = new RunningJob(job, limits)
  running.add(started)
  try {
    await started.ended()
  } finally {
    started.end() // programs that the tests left behind, however the process ended
    running.delete(started)
  }
  return { job, ...started.result(), duration_ms: performance.now() - began }
}

/**
 * A directory for all temporary files of a job, removed with it. Most stores of tests are discarded within a second, so
 * they are in memory if there is room.
 */
function temporaryDirectory({ is_durable = true }: Job): string {
  const parent = is_durable ? tmpdir() : (memoryDisk ?? tmpdir())
  const directory = mkdtempSync(join(parent, 'deputy-tests-'))
  chmodSync(directory, 0o755) // PostgreSQL enters it as another user
  return directory
}

class RunningJob {
  private readonly job: Job
  private readonly silence_ms: number
  private readonly directory: string
  private readonly child: ChildProcess
  private readonly closed: Promise<unknown>
  private readonly children = new Set<number>()
  private readonly outcomes: TestOutcome[] = []
  private readonly notes: string[] = []
  private readonly faults: string[] = []
  private current = 'the start of the process'
  private output = ''
  private cpu_ms: number | undefined
  private readonly fileCpuMs = new Map<string, number>()
  /** The file of the test that runs, and the processor time at its start. */
  private metered: { readonly file: string; readonly own_cpu_ms: number } | undefined

  constructor(job: Job, { test_ms, silence_ms }: JobLimits) {
    this.job = job
    this.silence_ms = silence_ms
    this.directory = temporaryDirectory(job)
    this.child = spawn(
      process.execPath,
      [
        '--test',
        '--test-isolation=none',
        '--test-force-exit',
        `--test-timeout=${test_ms}`,
        `--test-reporter=${REPORTER}`,
        `--import=${BEFORE_TESTS}`,
        ...job.files,
      ],
      {
        cwd: REPOSITORY,
        // Without the variable that marks a process as a child of `node --test`.
        env: {
          ...process.env,
          TMPDIR: this.directory,
          ...job.env,
          [RUNNER_LISTENS]: '1',
          NODE_TEST_CONTEXT: undefined,
        },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: true, // its own process group, which is ended as a whole
      },
    )
    this.closed = once(this.child, 'exit')
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => {
        this.output = `${this.output}${chunk}`.slice(-OUTPUT_LIMIT)
      })
  }

  async ended(): Promise<void> {
    const reports = this.readReports()
    await this.closed
    const { exitCode, signalCode } = this.child
    // A program that outlives the process may keep the reports' pipe open, so don't wait only for the pipe's end.
    await Promise.race([reports, new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())])
    const hasFailures = this.outcomes.some(({ result }) => result === 'failed')
    if (exitCode !== 0 && !hasFailures && this.faults.length === 0)
      this.faults.push(`the process ended with ${signalCode ?? `code ${exitCode}`} in ${this.current}`)
  }

  private async readReports(): Promise<void> {
    const stream = this.child.stdio[3] as Readable // opened as a pipe above
    let silence = this.silenceTimer()
    for await (const line of createInterface({ input: stream })) {
      clearTimeout(silence)
      this.receive(JSON.parse(line) as Report) // written by this runner's own reporter
      silence = this.silenceTimer()
    }
    clearTimeout(silence)
  }

  private silenceTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      this.faults.push(`no result for ${this.silence_ms / 1000} s in ${this.current}; the process was ended`)
      this.child.kill('SIGTERM')
      setTimeout(() => this.end(), GRACE_MS).unref()
    }, this.silence_ms)
  }

  private receive(report: Report): void {
    if (report.kind === 'started') {
      this.current = `${relative(REPOSITORY, report.file)}: ${report.name}`
      this.meter(this.fileOf(report.file), report.own_cpu_ms)
    }
    if (report.kind === 'outcome') this.outcomes.push({ ...report, file: this.fileOf(report.file) })
    if (report.kind === 'note') this.notes.push(`${this.fileOf(report.file)}: ${report.text}`)
    if (report.kind === 'cpu') {
      this.cpu_ms = report.cpu_ms
      this.meter('', report.cpu_ms)
    }
    if (report.kind === 'child' && report.is_running) this.children.add(report.pid)
    if (report.kind === 'child' && !report.is_running) this.children.delete(report.pid)
  }

  private meter(file: string, own_cpu_ms: number): void {
    const { metered } = this
    if (metered !== undefined) {
      const before = this.fileCpuMs.get(metered.file) ?? 0
      this.fileCpuMs.set(metered.file, before + own_cpu_ms - metered.own_cpu_ms)
    }
    this.metered = { file, own_cpu_ms }
  }

  /** Relative to the root. If there is only one file, all tests belong to it, even those from a shared contract. */
  private fileOf(path: string): string {
    const [first, second] = this.job.files
    return first !== undefined && second === undefined ? first : relative(REPOSITORY, path)
  }

  /** Kills the process, its group, and every program that its tests left running, and removes their files. */
  end(): void {
    if (this.child.pid !== undefined) endProcess(this.child.pid)
    for (const pid of this.children) endProcess(pid)
    this.children.clear()
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  result(): Omit<JobResult, 'job' | 'duration_ms'> {
    const finished = new Set(this.outcomes.filter(({ path }) => path.length === 1).map(({ file }) => file))
    const unfinished = this.job.files.filter((file) => !finished.has(file))
    const faults = this.faults.map((fault) => (this.output === '' ? fault : `${fault}\n${this.output}`))
    const isWhole = faults.length > 0 || unfinished.length === 0
    const missing = isWhole ? [] : [`no test ran in ${unfinished.join(', ')}\n${this.output}`]
    return {
      outcomes: this.outcomes,
      notes: this.notes,
      faults: [...faults, ...missing],
      unfinished: faults.length > 0 ? unfinished : [],
      file_cpu_ms: this.fileCpuMs,
      ...(this.cpu_ms !== undefined && { cpu_ms: this.cpu_ms }),
    }
  }
}
