import { type Engine, EngineError, type StepEvidence, type Template } from '../contract.ts'
import { judgeCapture } from '../judge/judge.ts'
import { makeTemplate } from '../judge/make-template.ts'
import type { StoredCapture } from './read-folder.ts'

/** The result of one capture. */
export interface CaptureResult {
  readonly capture: StoredCapture
  /** Undefined if a step could not be read or judged. */
  readonly steps: readonly StepEvidence[] | undefined
  readonly error: string | undefined
}

/** Sends all steps of all captures through the engine, `parallel` captures at a time. */
export async function judgeCaptures(
  engine: Engine,
  captures: readonly StoredCapture[],
  parallel: number,
  onDone: (done: number) => void,
): Promise<CaptureResult[]> {
  const results: CaptureResult[] = []
  const next = captures.entries()
  async function work(): Promise<void> {
    for (const [index, capture] of next) {
      results[index] = await analysed(engine, capture)
      onDone(results.filter((result) => result !== undefined).length)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return results
}

async function analysed(engine: Engine, capture: StoredCapture): Promise<CaptureResult> {
  const steps: StepEvidence[] = []
  try {
    for (const labelled of capture.steps) {
      const request = {
        step: labelled.step,
        media: capture.mediaOf(labelled),
        prior: steps,
        duress: ANY_SIGN,
      }
      steps.push(await engine.analyseStep(request, capture.place))
    }
    return { capture, steps, error: undefined }
  } catch (error) {
    // Unreadable media is a result; an unavailable engine is not.
    if (!(error instanceof EngineError) || error.code === 'unavailable') throw error
    return {
      capture,
      steps: undefined,
      error: `${error.code}: ${error.message} ${error.pointer ?? ''}`.trim(),
    }
  }
}

/** Every analysis looks for a sign of coercion, so that it takes as long as in production. The result is not used. */
const ANY_SIGN = { word: 'lantern', is_decoy: true, gesture: undefined }

/** Returns the templates of all subjects with captures for enrolment. */
export function templatesOf(
  results: readonly CaptureResult[],
  engine_version: string,
): Map<string, Template> {
  const steps = new Map<string, StepEvidence[]>()
  for (const { capture, steps: taken = [] } of results)
    if (capture.purpose === 'enroll')
      steps.set(capture.subject, [...(steps.get(capture.subject) ?? []), ...taken])
  const templates = [...steps].flatMap(([subject, taken]) => {
    const template = makeTemplate(taken, engine_version)
    return template === undefined ? [] : [[subject, template] as const]
  })
  return new Map(templates)
}

/** Judges a capture, with a passkey, against a template or without one. */
export function judged({ capture, steps }: CaptureResult, template: Template | undefined) {
  if (steps === undefined) return undefined
  return judgeCapture({ steps, template, accommodations: capture.accommodations, has_passkey: true })
}
