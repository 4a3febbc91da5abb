import { createHash } from 'node:crypto'
import { AuthorityError, type CaptureStep } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import {
  advanced,
  answerBy,
  type CaptureProgress,
  dueStep,
  dueStepId,
  mayRepeat,
  repeated,
  timingFault,
} from '../../../domain/verification/capture-session.ts'
import {
  redrawFirst,
  type Step,
  type StepEvidence,
  stepDurationMs,
} from '../../../verification/biometric-engine.ts'
import { capturePrompt } from '../../../verification/capture-prompts.ts'
import { QUALITY_TEXTS } from '../../../verification/quality-texts.ts'
import type { OperationCall, OperationContext } from '../../operation-context.ts'
import {
  addEvidence,
  assertOpen,
  type CaptureSession,
  capturedEvidence,
  claimStep,
  dropEvidence,
  findEvidence,
  findSession,
  releaseCapture,
  type StoredEvidence,
  saveSession,
  sessionClosed,
} from './capture-sessions.ts'
import { duressSignOf } from './duress-sign.ts'

/** The recording of one step, as taken by `answerStep` and the calls that finish a session. */
export interface AnsweredStep {
  readonly step_id: string
  readonly frames: AnswerBody['frames']
  readonly audio?: AnswerBody['audio'] | undefined
  readonly device?: AnswerBody['device'] | undefined
}
type AnswerBody = OperationCall<'answerStep'>['body']

export interface TakenAnswer {
  readonly session: CaptureSession
  readonly answer: NonNullable<CaptureSession['last']>['answer']
}

/** Options for an answer. The last step's recording is accepted as is, because that step can't be repeated. */
export interface AnswerOptions {
  readonly is_last: boolean
}

/** Judges the recording of the due step, and reveals the next one. */
export async function takeAnswer(
  session: CaptureSession,
  recording: AnsweredStep,
  { is_last }: AnswerOptions,
  context: OperationContext,
): Promise<TakenAnswer> {
  const upload = recordingDigest(recording)
  if (session.last?.step_id === recording.step_id && session.last.upload === upload)
    return { session, answer: session.last.answer }
  assertOpen(session)
  const step = assertDue(session, recording, upload, context.clock())
  const claim = await claimStep(session, context)
  if (claim === undefined)
    throw new AuthorityError('step_mismatch', 'Another upload of this step is being judged.')
  const evidence = await analysed(session, step, recording, upload, context).catch(async (error) => {
    await releaseCapture(claim, context)
    throw error
  })
  // In this order, so that evidence that another call stored before the session was checked isn't overwritten.
  const stored = await findEvidence(session, context)
  await assertStillOpen(session, context)
  const isRepeated = evidence.quality.length > 0 && mayRepeat(session.progress) && !is_last
  const next = isRepeated
    ? await repeatStep(session, context.clock())
    : await keepEvidence(session, stored, evidence, context)
  const answer = answerOf(session, next, evidence, isRepeated)
  const { held_upload: _, ...kept } = session
  const duress = evidence.duress ? 1 : session.duress
  const last = { step_id: recording.step_id, upload, answer }
  const answered = { ...kept, progress: next, duress, last }
  // A crash before this line leaves the step due, and evidence that `capturedEvidence` leaves out.
  if (!(await saveSession(answered, session.progress.reveals, context)))
    throw await leftSession(session, context)
  return { session: answered, answer }
}

/** Returns the due step as shown. Undefined if all are answered. */
export function shownStep({
  progress,
  locale,
}: Pick<CaptureSession, 'progress' | 'locale'>): CaptureStep | undefined {
  const step = dueStep(progress)
  if (step === undefined) return undefined
  const duration_ms = stepDurationMs(step)
  const { revealed_at_ms, steps_done } = progress
  return {
    step_id: dueStepId(progress),
    index: steps_done,
    prompt: capturePrompt(step, locale),
    duration_ms,
    answer_by: isoInstant(answerBy({ revealed_at_ms, duration_ms })),
    ...step,
    ...(step.kind === 'flash' && { colors: [...step.colors] }),
  } as CaptureStep // a flash step has its colors copied, because the shape of an answer is not read-only
}

/** Returns a digest that identifies a recording, so that sending it again gets the same answer. */
export function recordingDigest({ step_id, frames, audio, device }: AnsweredStep): string {
  const whole = createHash('sha256').update(JSON.stringify([step_id, device ?? null, audio?.t0_ms ?? null]))
  for (const { t_ms, jpeg } of frames) whole.update(`${t_ms} ${jpeg.length} `).update(jpeg)
  if (audio !== undefined) whole.update(audio.pcm16)
  return whole.digest('base64url')
}

function assertDue(
  { progress, held_upload }: CaptureSession,
  recording: AnsweredStep,
  upload: string,
  now_ms: number,
): Step {
  const step = dueStep(progress)
  if (step === undefined)
    throw new AuthorityError('step_mismatch', 'All steps are answered. Finish the session.')
  const step_id = dueStepId(progress)
  if (recording.step_id !== step_id) throw new AuthorityError('step_mismatch', undefined, { step_id })
  const { revealed_at_ms } = progress
  const revealed = { revealed_at_ms, duration_ms: stepDurationMs(step) }
  const fault = held_upload === upload ? undefined : timingFault(revealed, mediaMs(recording), now_ms)
  if (fault !== undefined) throw new AuthorityError(fault)
  return step
}

const SAMPLES_PER_MS = 16
const BASE64_PER_SAMPLE = 8 / 3

/** Returns the last time in a recording. */
function mediaMs({ frames, audio }: AnsweredStep): number {
  const sound_ms =
    audio === undefined ? 0 : audio.t0_ms + audio.pcm16.length / BASE64_PER_SAMPLE / SAMPLES_PER_MS
  return Math.max(sound_ms, ...frames.map(({ t_ms }) => t_ms))
}

/** Returns what the engine finds. If it can't judge now, the step stays due, and this recording may be sent again. */
async function analysed(
  session: CaptureSession,
  step: Step,
  { frames, audio, device }: AnsweredStep,
  upload: string,
  context: OperationContext,
): Promise<StepEvidence> {
  const { tenant_id, opened_by } = session
  try {
    const prior = await capturedEvidence(session, context)
    const duress = await duressSignOf(session, context)
    const media = { frames, sound: audio, device }
    return await context.verification.engine.analyseStep(
      { step, media, prior, duress },
      `${tenant_id} ${opened_by.name}`,
    )
  } catch (error) {
    const isBusy = error instanceof AuthorityError && error.code !== 'media_invalid'
    if (isBusy) await saveSession({ ...session, held_upload: upload }, session.progress.reveals, context)
    throw error
  }
}

/** Throws if the session was cancelled or its person erased meanwhile: nothing is kept then. */
async function assertStillOpen(session: CaptureSession, context: OperationContext): Promise<void> {
  const now = await findSession(session.session_id, context)
  const isThere = now?.state === 'open' && now.progress.reveals === session.progress.reveals
  if (!isThere) throw await leftSession(session, context)
}

/** Returns why an answer is no longer accepted. Drops the evidence if the session was removed with its person. */
async function leftSession(session: CaptureSession, context: OperationContext): Promise<AuthorityError> {
  const now = await findSession(session.session_id, context)
  if (now === undefined) await dropEvidence(session, context)
  return now?.state === 'open'
    ? new AuthorityError('step_mismatch', 'Another call has already continued this session.')
    : sessionClosed(now?.state ?? 'expired')
}

async function repeatStep({ progress }: CaptureSession, now_ms: number): Promise<CaptureProgress<Step>> {
  return repeated(progress, redrawFirst(progress.steps.slice(progress.steps_done)), now_ms)
}

async function keepEvidence(
  session: CaptureSession,
  stored: StoredEvidence,
  evidence: StepEvidence,
  context: OperationContext,
): Promise<CaptureProgress<Step>> {
  if (!(await addEvidence(session, stored, evidence, context))) throw await leftSession(session, context)
  return advanced(session.progress, context.clock())
}

/** Builds the answer to a step. Signs of an attack aren't shown here, only in the final judgement. */
function answerOf(
  { locale }: CaptureSession,
  progress: CaptureProgress<Step>,
  { quality, media_digest }: StepEvidence,
  isRepeated: boolean,
): TakenAnswer['answer'] {
  const step = shownStep({ progress, locale })
  return {
    accepted: !isRepeated,
    reasons: isRepeated ? quality.map((code) => ({ code, detail: QUALITY_TEXTS[locale][code] })) : [],
    ...(step !== undefined && { step }),
    steps_done: progress.steps_done,
    steps_total: progress.steps.length,
    media_digest,
  }
}
