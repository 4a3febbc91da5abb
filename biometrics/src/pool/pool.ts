import {
  EngineError,
  type EngineEvent,
  type OperatorNet,
  type StepEvidence,
  type UploadedStep,
} from '../contract.ts'
import { Breaker } from './breaker.ts'
import { FairQueue } from './fair-queue.ts'
import { JudgingProcess, type ProcessEnd, type StepAnswer } from './start-process.ts'

export interface PoolLimits {
  readonly processes: number
  readonly queue_limit: number
  readonly caller_limit: number
  readonly deadline_ms: number
  readonly idle_ms: number
  readonly memory_bytes: number
  readonly operator_nets: readonly OperatorNet[]
}

/** Assumed until a step has been measured. */
const FIRST_GUESS_MS = 1_500
/** How much a new measurement counts. */
const LEARNING_RATE = 0.2
const RETRY_AFTER_MAX_S = 60
/** Added to the deadline of steps that arrive before a process is ready. */
const START_ALLOWANCE_MS = 60_000

type ProcessChange = Extract<EngineEvent, { readonly kind: 'process' }>['change']

interface Job {
  readonly request: UploadedStep
  readonly caller: string
  readonly began_ms: number
  readonly timer: NodeJS.Timeout
  /** The process that judges it now. */
  process: JudgingProcess | undefined
  hasCrashed: boolean
  isSettled: boolean
  settle(result: StepEvidence | EngineError): void
}

/** Shares a few processes among callers. Every job settles once: with evidence, or with an `EngineError`. */
export class Pool {
  readonly #limits: PoolLimits
  readonly #onEvent: (event: EngineEvent) => void
  readonly #queue: FairQueue<Job>
  readonly #breaker = new Breaker()
  /** All processes; the idle ones have a timer that ends them. */
  readonly #processes = new Set<JudgingProcess>()
  readonly #idle = new Map<JudgingProcess, NodeJS.Timeout>()
  #step_ms = FIRST_GUESS_MS
  #directory = ''
  #isClosed = false

  constructor(limits: PoolLimits, onEvent: (event: EngineEvent) => void) {
    this.#limits = limits
    this.#onEvent = onEvent
    this.#queue = new FairQueue(limits.queue_limit, limits.caller_limit)
  }

  /** Starts a process, so that the first step finds one. */
  warm(directory: string): void {
    this.#directory = directory
    const mayStart = !this.#isClosed && this.#processes.size === 0
    if (mayStart && this.#breaker.waitMs(performance.now()) === 0) void this.#start()
  }

  async analyse(request: UploadedStep, caller: string, directory: string): Promise<StepEvidence> {
    this.#directory = directory
    this.#refuse(request, caller)
    const result = await new Promise<StepEvidence | EngineError>((settle) => {
      const job = this.#jobOf(request, caller, settle)
      this.#queue.add(job)
      this.#tellQueue()
      this.#assign()
    })
    if (result instanceof EngineError) throw result
    return result
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closing = new EngineError('unavailable', 'The service is shutting down.')
    for (const job of this.#queue.all()) this.#finish(job, closing)
    for (const timer of this.#idle.values()) clearTimeout(timer)
    await Promise.all([...this.#processes].map((process) => process.close()))
  }

  #jobOf(request: UploadedStep, caller: string, settle: (result: StepEvidence | EngineError) => void): Job {
    const isReady = this.#idle.size + this.#queue.running > 0
    const limit_ms = this.#limits.deadline_ms + (isReady ? 0 : START_ALLOWANCE_MS)
    const job: Job = {
      request,
      caller,
      began_ms: performance.now(),
      timer: setTimeout(() => this.#overdue(job), limit_ms),
      process: undefined,
      hasCrashed: false,
      isSettled: false,
      settle,
    }
    return job
  }

  /** Throws if the step cannot be taken now. */
  #refuse(request: UploadedStep, caller: string): void {
    const error = this.#refusal(caller)
    if (error === undefined) return
    this.#onEvent({ kind: 'step', step: request.step.kind, outcome: error.code, duration_ms: 0 })
    throw error
  }

  #refusal(caller: string): EngineError | undefined {
    if (this.#isClosed) return new EngineError('unavailable', 'The service is shutting down.')
    const wait_ms = this.#breaker.waitMs(performance.now())
    if (wait_ms > 0)
      return new EngineError('unavailable', 'The verification engine fails repeatedly. See the log.', {
        retry_after_s: seconds(wait_ms),
      })
    if (this.#queue.admits(caller)) return undefined
    return new EngineError('busy', 'The verification engine is busy. Send the step again later.', {
      retry_after_s: seconds(this.#waitMs()),
    })
  }

  /** Estimates how long a step that arrives now would wait, from the times of earlier ones. */
  #waitMs(): number {
    const ahead = this.#queue.waiting + this.#queue.running
    return (ahead * this.#step_ms) / this.#limits.processes
  }

  /** Gives waiting jobs to idle processes, and starts more processes while there are too few. */
  #assign(): void {
    if (this.#isClosed) return
    if (this.#breaker.waitMs(performance.now()) > 0) {
      this.#refuseWaiting()
      return
    }
    while (this.#queue.waiting > 0) {
      const process = this.#takeIdle()
      if (process === undefined) break
      const job = this.#queue.take()
      if (job !== undefined) void this.#run(process, job)
    }
    const starting = this.#processes.size - this.#idle.size - this.#queue.running
    if (this.#queue.waiting > starting && this.#processes.size < this.#limits.processes) void this.#start()
  }

  /** Returns an idle process. One that was killed from outside while idle is only forgotten. */
  #takeIdle(): JudgingProcess | undefined {
    for (const [process, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(process)
      if (!process.hasEnded) return process
      this.#processes.delete(process)
    }
    return undefined
  }

  #refuseWaiting(): void {
    for (const job of this.#queue.all())
      if (job.process === undefined) this.#finish(job, this.#refusal(job.caller) ?? crashed())
  }

  async #start(): Promise<void> {
    const process = new JudgingProcess(this.#directory, this.#limits.memory_bytes)
    this.#processes.add(process)
    try {
      await process.open(this.#directory, this.#limits.operator_nets)
    } catch (error) {
      return this.#failedToStart(process, error)
    }
    this.#tell(process, 'started', '')
    this.#release(process)
  }

  async #failedToStart(process: JudgingProcess, error: unknown): Promise<void> {
    await process.close()
    this.#processes.delete(process)
    if (this.#isClosed) return
    const detail = error instanceof Error ? error.message : String(error)
    this.#breaker.failedToStart(performance.now())
    this.#tell(process, 'failed_to_start', detail)
    this.#assign()
  }

  async #run(process: JudgingProcess, job: Job): Promise<void> {
    job.process = process
    const began_ms = performance.now()
    this.#tellQueue()
    const answer = await process.run(job.request)
    job.process = undefined
    if ('why' in answer) this.#lost(process, job, answer)
    else this.#answered(process, job, answer, performance.now() - began_ms)
  }

  #answered(process: JudgingProcess, job: Job, answer: StepAnswer, took_ms: number): void {
    this.#breaker.succeeded()
    this.#step_ms += (took_ms - this.#step_ms) * LEARNING_RATE
    if ('evidence' in answer) this.#finish(job, answer.evidence)
    else this.#finish(job, new EngineError(answer.failure.code, answer.failure.message, answer.failure))
    if (process.hasEnded) this.#replace(process, 'grown', 'after a step')
    else this.#release(process)
  }

  /** Handles a process that ended before it answered. Its job gets a second one, unless the job's deadline ended it. */
  #lost(process: JudgingProcess, job: Job, { why, detail }: ProcessEnd): void {
    if (why === 'closed') return
    if (why !== 'overdue') this.#breaker.crashed(job.caller, performance.now())
    if (job.hasCrashed) this.#finish(job, crashed())
    if (!job.isSettled) {
      job.hasCrashed = true
      this.#queue.putBack(job)
    }
    this.#replace(process, why, detail)
  }

  #replace(process: JudgingProcess, change: ProcessChange, detail: string): void {
    this.#processes.delete(process)
    this.#tell(process, change, detail)
    this.#assign()
  }

  /** Frees the process for the next job. */
  #release(process: JudgingProcess): void {
    if (this.#isClosed) return
    this.#idle.set(
      process,
      setTimeout(() => this.#retire(process), this.#limits.idle_ms),
    )
    this.#assign()
  }

  #retire(process: JudgingProcess): void {
    this.#idle.delete(process)
    this.#processes.delete(process)
    this.#tell(process, 'idle', '')
    void process.close()
  }

  #overdue(job: Job): void {
    job.process?.kill('overdue')
    this.#finish(job, overdue())
  }

  #finish(job: Job, result: StepEvidence | EngineError): void {
    if (job.isSettled) return
    job.isSettled = true
    clearTimeout(job.timer)
    this.#queue.remove(job)
    job.settle(result)
    this.#onEvent({
      kind: 'step',
      step: job.request.step.kind,
      outcome: result instanceof EngineError ? result.code : 'analysed',
      duration_ms: performance.now() - job.began_ms,
    })
    this.#tellQueue()
  }

  #tell({ pid }: JudgingProcess, change: ProcessChange, detail: string): void {
    this.#onEvent({ kind: 'process', change, pid, detail })
  }

  #tellQueue(): void {
    this.#onEvent({ kind: 'queue', waiting: this.#queue.waiting, running: this.#queue.running })
  }
}

function seconds(ms: number): number {
  return Math.min(RETRY_AFTER_MAX_S, Math.max(1, Math.ceil(ms / 1000)))
}

function overdue(): EngineError {
  return new EngineError('deadline', 'The step was not judged in time. Send it again.')
}

function crashed(): EngineError {
  return new EngineError('crashed', 'The step could not be judged. Take it again.')
}
