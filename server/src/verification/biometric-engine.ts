/** The verification engine for operations, which turns the engine's errors into refusals of the service. */
import {
  type Accommodation,
  type CaptureJudgement,
  drawSteps,
  type Engine,
  EngineError,
  type EngineEvent,
  type EngineState,
  INSTALL_RETRY_S,
  type JudgeRequest,
  judgeCapture,
  MEDIA_LIMITS,
  makeTemplate,
  type OperatorNet,
  openEngine,
  PackError,
  packSource,
  readOperatorNets,
  redrawFirst,
  type Step,
  type StepEvidence,
  stepDurationMs,
  type Template,
  type UploadedStep,
  unavailableText,
} from '@deputize/biometrics'
import { AuthorityError } from '@deputize/protocol'

export type {
  Accommodation,
  CaptureJudgement,
  Engine,
  EngineEvent,
  EngineState,
  Step,
  StepEvidence,
  UploadedStep,
}
export { drawSteps, redrawFirst, stepDurationMs }

/** How the device records. */
export const CAPTURE_SETTINGS = {
  width: 640,
  height: 480,
  fps: 12,
  jpeg_quality: 0.85,
  sample_rate: 16_000,
  max_frames: MEDIA_LIMITS.frames_per_step,
} as const

export interface VerificationEngine {
  state(): EngineState
  /** Starts to fetch the engine, only once however many callers ask. Returns immediately. */
  startInstall(): void
  /** Returns the engine's version if it can judge. Otherwise throws, and starts to fetch the engine if it is absent. */
  readyVersion(): string
  /** Callers share the engine fairly; `caller` identifies one of them. */
  analyseStep(upload: UploadedStep, caller: string): Promise<StepEvidence>
  judge(request: JudgeRequest): CaptureJudgement
  /** Returns undefined if no face was seen well enough. */
  makeTemplate(steps: readonly StepEvidence[], engine_version: string): Template | undefined
  close(): Promise<void>
}

export interface EngineSettings {
  readonly mode: 'auto' | 'off'
  /** Where engines are kept, in the data directory. */
  readonly root: string
  /** An engine that the operator has copied to this machine. */
  readonly copied: string | undefined
  /** Judging processes. Undefined: one fewer than there are cores. */
  readonly processes: number | undefined
}

/** Opens this machine's engine. Nothing is fetched or started before the first session. */
export function openBuiltinEngine(
  settings: EngineSettings,
  operator_nets: readonly OperatorNet[],
  onEvent: (event: EngineEvent) => void,
): Engine {
  return openEngine({ pack: packSource(settings), processes: settings.processes, operator_nets, onEvent })
}

/** Returns the operator's own nets, or what is wrong with them. */
export function operatorNets(
  file: string | undefined,
): { readonly nets: readonly OperatorNet[] } | { readonly problem: string } {
  if (file === undefined) return { nets: [] }
  try {
    return { nets: readOperatorNets(file) }
  } catch (error) {
    if (error instanceof PackError) return { problem: error.message }
    throw error
  }
}

export function verificationEngine(
  engine: Engine,
  onTrouble: (cause: unknown, what: string) => void,
): VerificationEngine {
  function startInstall(): void {
    engine.install().catch((cause) => onTrouble(cause, 'the verification engine could not be fetched'))
  }

  return {
    state: () => engine.state(),
    startInstall,
    readyVersion() {
      const now = engine.state()
      if (now.state === 'ready') {
        engine.warm()
        return now.engine_version
      }
      if (now.state === 'absent') startInstall()
      throw engineUnavailable(engine.state())
    },
    analyseStep: (upload, caller) =>
      engine.analyseStep(upload, caller).catch((error) => {
        throw refusalOfEngine(error, engine.state())
      }),
    judge: judgeCapture,
    makeTemplate,
    close: () => engine.close(),
  }
}

function refusalOfEngine(error: unknown, now: EngineState): unknown {
  if (!(error instanceof EngineError)) return error
  const { code, message, pointer = '', retry_after_s } = error
  switch (code) {
    case 'bad_media':
      return new AuthorityError('media_invalid', message, {
        errors: [{ pointer: pointer.replace(/^\/sound/, '/audio'), detail: message }],
      })
    case 'busy':
    case 'deadline':
      return new AuthorityError('engine_busy', message, { retry_after_s: retry_after_s ?? 1 })
    default:
      // The state of an installed engine doesn't say why it fails.
      return now.state === 'ready'
        ? new AuthorityError('engine_unavailable', message, {
            engine: now,
            ...(retry_after_s !== undefined && { retry_after_s }),
          })
        : engineUnavailable(now)
  }
}

export function engineUnavailable(engine: EngineState): AuthorityError {
  return new AuthorityError('engine_unavailable', unavailableText(engine), {
    engine,
    ...(engine.state === 'installing' && { retry_after_s: INSTALL_RETRY_S }),
  })
}
