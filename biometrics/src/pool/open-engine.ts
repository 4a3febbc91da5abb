import { availableParallelism } from 'node:os'
import {
  type Engine,
  EngineError,
  type EngineEvent,
  type OperatorNet,
  type PackSource,
  type StepEvidence,
  type UploadedStep,
} from '../contract.ts'
import { Pool, type PoolLimits } from './pool.ts'
import { INSTALL_RETRY_S, unavailableText } from './unavailable-text.ts'

export interface EngineOptions {
  readonly pack: PackSource
  /** Judging processes, each using one core. Default: one less than the number of cores, from 1 to 4. */
  readonly processes?: number | undefined
  /** Steps that may wait for a process. */
  readonly queue_limit?: number | undefined
  /** Steps that one caller may have waiting or running at once. */
  readonly caller_limit?: number | undefined
  /** The limit for one step, including its wait. The start of the first process isn't counted. */
  readonly deadline_ms?: number | undefined
  /** A process that has judged nothing for this long is ended. */
  readonly idle_ms?: number | undefined
  /** A process that uses more is ended and replaced. */
  readonly memory_bytes?: number | undefined
  /** The operator's own nets, in addition to those of the pack. */
  readonly operator_nets?: readonly OperatorNet[] | undefined
  readonly onEvent?: ((event: EngineEvent) => void) | undefined
}

const PROCESSES_MAX = 4
const WAITING_PER_PROCESS = 8

/** Returns the engine of this service. Starts nothing before the first step. */
export function openEngine(options: EngineOptions): Engine {
  const { pack } = options
  const pool = new Pool(limitsOf(options), options.onEvent ?? (() => {}))

  /** Looked up for each step, because the pack can be installed, or found to be broken, at any time. */
  function directory(): string {
    const found = pack.directory()
    if (found === undefined) throw unavailable(pack)
    return found
  }

  return {
    state: () => pack.state(),
    install: () => pack.install(),
    warm() {
      const found = pack.directory()
      if (found !== undefined) pool.warm(found)
    },
    async analyseStep(request: UploadedStep, caller: string): Promise<StepEvidence> {
      return pool.analyse(request, caller, directory())
    },
    close: () => pool.close(),
  }
}

function limitsOf(options: EngineOptions): PoolLimits {
  const processes = options.processes ?? Math.min(PROCESSES_MAX, Math.max(1, availableParallelism() - 1))
  const queue_limit = options.queue_limit ?? processes * WAITING_PER_PROCESS
  return {
    processes,
    queue_limit,
    caller_limit: options.caller_limit ?? Math.max(2, Math.floor(queue_limit / 4)),
    deadline_ms: options.deadline_ms ?? 15_000,
    idle_ms: options.idle_ms ?? 300_000,
    operator_nets: options.operator_nets ?? [],
    memory_bytes: options.memory_bytes ?? 1_610_612_736,
  }
}

function unavailable(pack: PackSource): EngineError {
  const now = pack.state()
  const retry = now.state === 'installing' ? { retry_after_s: INSTALL_RETRY_S } : undefined
  return new EngineError('unavailable', unavailableText(now), retry)
}
