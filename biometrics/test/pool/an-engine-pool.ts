import { anEngine } from '@deputize/testing/an-engine.ts'
import type { Engine, EngineEvent, StepEvidence, UploadedStep } from '../../src/contract.ts'
import { greyJpeg } from '../../src/eval/grey-jpeg.ts'
import { type EngineOptions, openEngine } from '../../src/pool/open-engine.ts'

export interface EnginePool {
  readonly engine: Engine
  readonly events: readonly EngineEvent[]
  /** Resolves with the next event from now on that fits. */
  next(fits: (event: EngineEvent) => boolean): Promise<EngineEvent>
  /** Resolves with the ID of a process once it is warm. */
  warm(): Promise<number>
}

/** Returns an engine with the real pack. It is closed at the end of the test. */
export async function anEnginePool(
  scope: { after(close: () => Promise<void>): void },
  options: Partial<EngineOptions> = {},
): Promise<EnginePool> {
  const directory = await anEngine()
  const events: EngineEvent[] = []
  const listeners = new Set<(event: EngineEvent) => void>()
  const engine = openEngine({
    pack: {
      state: () => ({ state: 'ready', engine_version: 'test' }),
      install: async () => {},
      directory: () => directory,
    },
    processes: 1,
    // Tests share the machine with other programs.
    deadline_ms: 60_000,
    onEvent: (event) => {
      events.push(event)
      for (const listener of listeners) listener(event)
    },
    ...options,
  })
  scope.after(() => engine.close())

  function next(fits: (event: EngineEvent) => boolean): Promise<EngineEvent> {
    return new Promise((resolve) => {
      const listener = (event: EngineEvent) => {
        if (!fits(event)) return
        listeners.delete(listener)
        resolve(event)
      }
      listeners.add(listener)
    })
  }

  return {
    engine,
    events,
    next,
    async warm() {
      const started = next((event) => event.kind === 'process' && event.change === 'started')
      await engine.analyseStep(aStep(), 'warm')
      const event = await started
      if (event.kind !== 'process' || event.pid === undefined) throw new Error('no process was started')
      return event.pid
    },
  }
}

/** Returns a step that is judged quickly: one grey picture. */
export function aStep(frames: UploadedStep['media']['frames'] = [aFrame()]): UploadedStep {
  return {
    step: { kind: 'neutral' },
    media: { frames },
    prior: [],
    duress: { word: 'lantern', is_decoy: false, gesture: 'open_palm' },
  }
}

export function aFrame(jpeg: Uint8Array | string = GREY): UploadedStep['media']['frames'][number] {
  return { t_ms: 0, jpeg }
}

const GREY = greyJpeg(320, 240)

/** Returns the code of the error that a promise rejects with, or `analysed`. */
export async function outcomeOf(step: Promise<StepEvidence>): Promise<string> {
  return step.then(
    () => 'analysed',
    (error: { readonly code: string }) => error.code,
  )
}

/** Whether a step is running in a process. */
export function isRunning(event: EngineEvent): boolean {
  return event.kind === 'queue' && event.running > 0
}
