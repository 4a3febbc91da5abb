import { base64 } from './base64.ts'
import { type CameraSettings, takeFrames } from './camera.ts'
import type { Microphone } from './microphone.ts'
import type { ShownTask } from './shown-task.ts'

/** The devices and settings to record a step with. */
export interface RecordingDevices {
  readonly video: HTMLVideoElement
  /** Undefined for a person who does not speak. */
  readonly microphone: Microphone | undefined
  readonly settings: CameraSettings
}

/** The recording of a step, in the form that the service accepts. */
export interface RecordedStep {
  readonly frames: readonly { readonly t_ms: number; readonly jpeg: string }[]
  readonly audio?: { readonly t0_ms: number; readonly pcm16: string }
}

/** Records from `shown_at`, a moment of performance.now(), while `show` shows the step. Rejects if `signal` ends it. */
export async function recordStep(
  { video, microphone, settings }: RecordingDevices,
  step: ShownTask,
  shown_at: number,
  show: () => Promise<void>,
  signal?: AbortSignal,
): Promise<RecordedStep> {
  const recording = step.kind === 'speak' ? microphone?.record(shown_at) : undefined
  try {
    const [frames] = await Promise.all([
      takeFrames(video, settings, shown_at, step.duration_ms, signal),
      show(),
    ])
    const sound = await recording?.stop()
    return {
      frames: await Promise.all(frames.map(async ({ t_ms, jpeg }) => ({ t_ms, jpeg: await base64(jpeg) }))),
      ...(sound !== undefined && { audio: { t0_ms: sound.t0_ms, pcm16: await base64(sound.pcm16) } }),
    }
  } finally {
    recording?.drop()
  }
}
