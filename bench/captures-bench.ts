import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import {
  drawSteps,
  type Engine,
  EngineError,
  openEngine,
  type Step,
  type StepEvidence,
  type StepMedia,
} from '@deputize/biometrics'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { aPuppet } from '@deputize/testing/puppet/a-puppet.ts'
import { deputyCases, prepareIdentities, requestsOf } from './cases.ts'
import type { Settings } from './compare.ts'
import { startGenerator } from './load.ts'
import { type Columns, medianOf, tableOf, writeReport } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

interface RecordedStep {
  readonly step: Step
  readonly media: StepMedia
}

interface CaptureFigure {
  readonly name: string
  readonly value: string
}

/** How many full queues are sent at once. */
const OVERLOAD = 3
const NO_SIGN = { word: 'lantern', is_decoy: true, gesture: undefined }

/**
 * Measures the verification engine: captures a minute on one core, what it does with three times the load that it can
 * take, and what record/action loses while captures are judged, with and without separate cores.
 */
export async function capturesBench(settings: Settings): Promise<void> {
  const capture = await recordedCapture()
  const judges = await oneProcess()
  const { engine } = judges
  try {
    const figures = [
      ...(await speedOf(engine, capture, settings.rounds)),
      ...(await overloadOf(engine, capture)),
      ...(await costToOthers(judges, capture, settings)),
    ]
    writeReport('captures', settings, { figures }, tableOf(figures, COLUMNS))
  } finally {
    await engine.close()
  }
}

const COLUMNS: Columns<CaptureFigure> = { figure: ({ name }) => name, value: ({ value }) => value }

/** A whole capture of a puppet, recorded once. */
async function recordedCapture(): Promise<RecordedStep[]> {
  const puppet = await aPuppet({ avatar: 3, seed: 1 })
  const steps: RecordedStep[] = []
  for (const step of drawSteps([])) steps.push({ step, media: await puppet.perform(step) })
  return steps
}

interface BenchEngine {
  readonly engine: Engine
  /** The judging process. It exists, because it has judged before. */
  readonly judging_pid: () => number
}

async function oneProcess(): Promise<BenchEngine> {
  const directory = await anEngine()
  let pid: number | undefined
  const engine = openEngine({
    pack: {
      state: () => ({ state: 'ready', engine_version: 'bench' }),
      install: async () => {},
      directory: () => directory,
    },
    processes: 1,
    caller_limit: Number.MAX_SAFE_INTEGER,
    deadline_ms: 120_000,
    onEvent: (event) => {
      if (event.kind === 'process' && event.change === 'started') pid = event.pid
    },
  })
  return {
    engine,
    judging_pid() {
      if (pid === undefined) throw new Error('no process has judged yet')
      return pid
    },
  }
}

async function judgeOnce(
  engine: Engine,
  capture: readonly RecordedStep[],
  isOver: () => boolean = () => false,
): Promise<void> {
  const prior: StepEvidence[] = []
  for (const { step, media } of capture)
    if (!isOver()) prior.push(await engine.analyseStep({ step, media, prior, duress: NO_SIGN }, 'bench'))
}

async function speedOf(
  engine: Engine,
  capture: readonly RecordedStep[],
  rounds: number,
): Promise<CaptureFigure[]> {
  await judgeOnce(engine, capture)
  const seconds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const began_ms = performance.now()
    await judgeOnce(engine, capture)
    seconds.push((performance.now() - began_ms) / 1000)
    process.stderr.write(`capture ${round + 1}/${rounds}  ${seconds.at(-1)?.toFixed(1)} s\n`)
  }
  const frames = capture.reduce((sum, { media }) => sum + media.frames.length, 0)
  const median_s = medianOf(seconds)
  return [
    { name: 'frames of a capture', value: String(frames) },
    { name: 'seconds for a capture, one process', value: median_s.toFixed(1) },
    { name: 'captures a minute and core', value: (60 / median_s).toFixed(1) },
    { name: 'milliseconds for a frame', value: ((median_s * 1000) / frames).toFixed(0) },
  ]
}

/** Sends three full queues at once. Every step must be answered or refused, and memory must be released. */
async function overloadOf(engine: Engine, capture: readonly RecordedStep[]): Promise<CaptureFigure[]> {
  const [first] = capture
  if (first === undefined) throw new Error('the capture has no steps')
  const before_bytes = process.memoryUsage.rss()
  const load = OVERLOAD * WAITING
  const outcomes = await Promise.all(
    Array.from({ length: load }, () =>
      engine.analyseStep({ ...first, prior: [], duress: NO_SIGN }, 'bench').then(
        () => ({ code: 'analysed', retry_after_s: 0 }),
        (error: unknown) => {
          if (!(error instanceof EngineError)) throw error
          return { code: error.code, retry_after_s: error.retry_after_s ?? 0 }
        },
      ),
    ),
  )
  const busy = outcomes.filter(({ code }) => code === 'busy')
  const analysed = outcomes.filter(({ code }) => code === 'analysed').length
  const grown_mb = (process.memoryUsage.rss() - before_bytes) / 1_048_576
  return [
    { name: `of ${load} steps at once: analysed`, value: String(analysed) },
    { name: `of ${load} steps at once: refused as busy`, value: String(busy.length) },
    { name: `of ${load} steps at once: anything else`, value: String(load - analysed - busy.length) },
    {
      name: 'longest Retry-After, seconds',
      value: String(Math.max(0, ...busy.map(({ retry_after_s }) => retry_after_s))),
    },
    { name: 'memory of the caller afterwards, megabytes more', value: grown_mb.toFixed(0) },
  ]
}

/** The default length of one process's queue. */
const WAITING = 8

/** What record/action keeps while captures are judged, on shared cores and with the judging process on its own core. */
async function costToOthers(
  { engine, judging_pid }: BenchEngine,
  capture: readonly RecordedStep[],
  settings: Settings,
): Promise<CaptureFigure[]> {
  const cores = availableParallelism()
  const name = 'record/action during captures, of record/action alone'
  const shared = await keptShare(engine, capture, settings)
  const figures = [{ name: `${name}, all ${cores} cores shared`, value: shared }]
  const [own, others] = [`${cores - 1}`, cores > 2 ? `0-${cores - 2}` : '0']
  if (cores < 2 || !pin(judging_pid(), own) || !pin(process.pid, others)) {
    process.stderr.write('captures on a core of their own: needs two cores and taskset, left out\n')
    return figures
  }
  try {
    // The service and the load are started below, and inherit the cores of this process.
    const apart = await keptShare(engine, capture, settings)
    return [...figures, { name: `${name}, captures on core ${own}, the rest on ${others}`, value: apart }]
  } finally {
    pin(process.pid, `0-${own}`)
  }
}

/** Binds a process and its threads to cores. False if that isn't possible. */
function pin(pid: number, cores: string): boolean {
  return spawnSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' }).status === 0
}

/** record/action with and without captures, in turns, so that the ratio does not depend on the machine's other work. */
async function keptShare(
  engine: Engine,
  capture: readonly RecordedStep[],
  { seconds, rounds, connections, warm_up_seconds }: Settings,
): Promise<string> {
  return withDirectory(async (directory) => {
    const generator = startGenerator()
    // On few cores, captures overload the service. What it refuses then is measured elsewhere.
    const program = await startDeputyProgram(directory, { env: { DEPUTY_MAX_WAIT_MS: '0' } })
    try {
      const [record] = deputyCases(program.url, await prepareIdentities(program.url))
      if (record === undefined) throw new Error('there is no case record/action')
      const { name: _, processes: __, ...load } = record
      const measure = async (duration: number) => {
        const requests = requestsOf(load.requests)
        return (await generator.measure({ ...load, requests, connections, seconds: duration })).requests_per_s
      }
      await measure(warm_up_seconds)
      const ratios: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const alone = await measure(seconds)
        ratios.push((await whileJudging(engine, capture, () => measure(seconds))) / alone)
        process.stderr.write(`record/action ${round + 1}/${rounds}  ${ratios.at(-1)?.toFixed(2)} of alone\n`)
      }
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
      return `${medianOf(ratios).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`
    } finally {
      generator.stop()
      await program.kill()
    }
  })
}

/** Judges captures in turn for as long as the work takes. */
async function whileJudging<Result>(
  engine: Engine,
  capture: readonly RecordedStep[],
  work: () => Promise<Result>,
): Promise<Result> {
  let isDone = false
  const judging = (async () => {
    while (!isDone) await judgeOnce(engine, capture, () => isDone)
  })()
  const result = await work().finally(() => {
    isDone = true
  })
  await judging
  return result
}
