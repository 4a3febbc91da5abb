import type { Deputy } from './client.ts'
import type {
  AnswerStepInput,
  CaptureSettings,
  CaptureStep,
  CreateVerificationSessionAnswer,
} from './generated/operations.ts'

/** A camera's recording of one step: frames, and sound if the step asks for speech. */
export type StepRecording = Pick<AnswerStepInput, 'frames' | 'audio' | 'device'>

/**
 * Shows a step to the person and records it for `duration_ms`. Times in the recording count from when the step was shown.
 */
export type Camera = (step: CaptureStep, settings: CaptureSettings) => Promise<StepRecording>

/** A session with every step answered, ready for `capture` or `enroll`. */
export interface AnsweredSession {
  readonly session_id: string
  readonly nonce: string
  /** Digest of each recording that was accepted. A passkey signs them. */
  readonly media: readonly string[]
}

/** Options of `answerSession`. */
export interface AnswerSessionOptions {
  /** Called when a recording was not good enough, before the next step is shown. */
  readonly onRepeat?: (reasons: readonly { readonly code: string; readonly detail: string }[]) => void
}

/**
 * Answers every step of a verification session with a camera. Then finish the session with `client.capture` or
 * `client.enroll`. The client needs no credential, because the session's nonce is one.
 *
 * @example
 * ```ts
 * import { answerSession, type Camera, deputy } from '@deputize/sdk'
 *
 * export async function verifyPerson(human_ref: string, camera: Camera) {
 *   const client = deputy({ url: 'http://127.0.0.1:8420' })
 *   const session = await client.createVerificationSession({ purpose: 'verify', human_ref })
 *   const { session_id, nonce } = await answerSession(client, session, camera)
 *   return client.capture({ session_id, nonce })
 * }
 * ```
 */
export async function answerSession(
  client: Pick<Deputy, 'answerStep'>,
  session: Pick<CreateVerificationSessionAnswer, 'session_id' | 'nonce' | 'capture' | 'step'>,
  camera: Camera,
  { onRepeat }: AnswerSessionOptions = {},
): Promise<AnsweredSession> {
  const { session_id, nonce, capture } = session
  const media: string[] = []
  let step: CaptureStep | undefined = session.step
  while (step !== undefined) {
    await waited(capture.lead_ms)
    const recording = await camera(step, capture)
    const answer = await client.answerStep({ id: session_id, nonce, step_id: step.step_id, ...recording })
    if (answer.accepted) media.push(answer.media_digest)
    else onRepeat?.(answer.reasons)
    step = answer.step
  }
  return { session_id, nonce, media }
}

/** Waits before a step: a recording that starts sooner can't be an answer to it. */
function waited(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
