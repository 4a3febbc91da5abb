import { forgetDeviceKey } from '../device-key.ts'
import { isExternal } from '../flow-state.ts'
import { confirmedByPasskey, passkeyProblem } from '../passkey.ts'
import { CallRefused, type OpenedCapture, type WidgetResult } from '../session-calls.ts'
import { keepTrying, waitFor } from './keep-trying.ts'
import type { Work } from './work.ts'

/** Called before the click: some browsers show a passkey dialog only right after a click. */
export async function fetchChallenge({ state, calls, signal }: Work): Promise<void> {
  if (state.opened === undefined) throw new Error('no session is open')
  state.challenge ??= await calls.passkey(state.opened, { signal })
}

export async function usePasskey({ state, send }: Pick<Work, 'state' | 'send'>): Promise<void> {
  // A second click gets an error of the browser, which would hide that its dialog is still open.
  if (state.challenge === undefined || state.is_confirming) return
  state.is_confirming = true
  try {
    state.confirmed = await confirmedByPasskey(state.challenge)
    send({ type: 'confirmed' })
  } catch (error) {
    send({ type: 'passkey_failed', problem: passkeyProblem(error) })
  } finally {
    state.is_confirming = false
  }
}

export async function finishSession(work: Work): Promise<void> {
  const { state, send } = work
  if (state.opened === undefined) throw new Error('no session is open')
  const judged = await finished(state.opened, work)
  if (judged === 'undecided') return send({ type: 'undecided' })
  if (judged === 'too_late') return send({ type: 'interrupted', why: 'timeout' })
  if (judged === 'passkey_refused') {
    // Nothing was judged, so the recording can be confirmed with another passkey.
    state.challenge = undefined
    state.confirmed = {}
    return send({ type: 'passkey_failed', problem: 'refused' })
  }
  state.attempts_left = judged.attempts_left
  if (judged.decision !== 'pass') return onNotPassed(judged, work)
  forgetDeviceKey(state.opened.session_id)
  state.result = { ...judged, ...(await collectedToken(work)) }
  send({ type: 'judged' })
}

/** The provider hasn't decided yet after all, or is unavailable. Nothing is used up. */
const UNDECIDED = ['verification_pending', 'provider_unavailable']

/** Refusals of a passkey after which another one may be accepted. */
const OTHER_PASSKEY = ['authenticator', 'credential', 'other_person', 'suspected_clone']

/**
 * Returns the judgement, or why there is none yet: the provider must be awaited, another passkey used, or the session
 * opened again, because its capture ran out of time.
 */
async function finished(
  opened: OpenedCapture,
  work: Work,
): Promise<WidgetResult | 'undecided' | 'passkey_refused' | 'too_late'> {
  const { state, calls, signal } = work
  try {
    return await keepTrying(() => calls.finish(opened, state.confirmed, { signal }), signal)
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error
    const { code, reason = '', state: session_state } = error
    // A capture at an external provider ends after the link of its session, which then can't be opened again.
    if (code === 'session_closed' && session_state === 'expired' && !isExternal(state)) return 'too_late'
    if (code === 'passkey_refused' && OTHER_PASSKEY.includes(reason)) return code
    if (!UNDECIDED.includes(code)) throw error
    await waitFor(error, signal)
    return 'undecided'
  }
}

/** Only the asker gets the token: not a phone that continues, and not a page that was opened by its link. */
async function collectedToken({ state, calls, signal }: Work): Promise<Pick<WidgetResult, 'token'>> {
  if (state.summary?.request === undefined || state.is_elsewhere) return {}
  try {
    const { token } = await keepTrying(() => calls.collect({ signal }), signal)
    return token === undefined ? {} : { token }
  } catch (error) {
    if (!(error instanceof CallRefused && error.code === 'session_unknown')) throw error
    state.is_elsewhere = true
    return {}
  }
}

function onNotPassed({ decision, reasons, attempts_left }: WidgetResult, { send }: Work): void {
  if (decision === 'review') send({ type: 'failed', code: 'review', reasons })
  else if (decision === 'retry' || attempts_left > 0) send({ type: 'interrupted', why: 'retry', reasons })
  else send({ type: 'failed', code: 'failed', reasons })
}
