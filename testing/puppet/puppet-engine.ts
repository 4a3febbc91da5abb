import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Engine, openEngine, packSource, type Step } from '@deputize/biometrics'
import { anEngine } from '../an-engine.ts'
import type { TestScope } from '../scope.ts'
import { REPOSITORY } from '../source-imports.ts'
import type { Performance, Puppet } from './a-puppet.ts'

/** The real engine with one judging process, and a long deadline for busy machines. */
export async function theRealEngine(scope: TestScope): Promise<Engine> {
  await anEngine()
  const root = join(REPOSITORY, 'node_modules/.cache/deputy/engine')
  const engine = openEngine({ pack: packSource({ mode: 'auto', root }), processes: 1, deadline_ms: 110_000 })
  scope.after(() => engine.close())
  return engine
}

/** A step as the service shows it. */
export interface ShownStep {
  readonly step_id: string
  readonly kind: Step['kind']
  readonly index?: number
  readonly prompt?: string
  readonly duration_ms: number
  readonly answer_by?: string
}

/** The task of a step, without what only the service needs. */
export function taskOf({ step_id, index, prompt, duration_ms, answer_by, ...task }: ShownStep): Step {
  // The members of a task have the same names on the wire.
  return task as unknown as Step
}

/** The recording of a step as a device sends it. */
export async function puppetRecording(puppet: Puppet, shown: ShownStep, how?: Performance) {
  const { frames, sound, device } = await puppet.perform(taskOf(shown), how)
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  return {
    step_id: shown.step_id,
    frames: frames.map(({ t_ms, jpeg }) => ({ t_ms, jpeg: base64(jpeg) })),
    ...(sound && { audio: { t0_ms: sound.t0_ms, pcm16: base64(sound.pcm16) } }),
    device: { video_label: device?.video_label ?? '' },
  }
}

/** Longer than a frame, because sound ends after the last picture. */
const FRAME_MS = 250

/** A puppet in front of a device's camera. Recording takes its real duration, because the service checks the clock. */
export function puppetCamera(puppet: Puppet, how?: Performance) {
  return async (shown: ShownStep) => {
    const shown_at_ms = performance.now()
    const { step_id: _, ...recording } = await puppetRecording(puppet, shown, how)
    const end_ms = (recording.frames.at(-1)?.t_ms ?? 0) + FRAME_MS
    await delay(Math.max(0, shown_at_ms + end_ms - performance.now()))
    return recording
  }
}
