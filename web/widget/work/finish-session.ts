import { forgetNonce } from '../kept-nonce.ts'
import { confirmedByPasskey, passkeyProblem } from '../passkey.ts'
import { CallRefused, type WidgetResult } from '../session-calls.ts'
import type { Work } from './work.ts'

/** Fetched before the click: some browsers show a passkey dialog only right after one. */
export async function fetchChallenge({ state, calls, signal }: Work): Promise<void> {
  if (state.opened === undefined) throw new Error('no session is open')
  state.challenge ??= await calls.passkey(state.opened, { signal })
}

export async function usePasskey({ state, send }: Pick<Work, 'state' | 'send'>): Promise<void> {
  if (state.challenge === undefined) return
  try {
    state.confirmed = await confirmedByPasskey(state.challenge)
    send({ type: 'confirmed' })
  } catch (error) {
    send({ type: 'passkey_failed', problem: passkeyProblem(error) })
  }
}

export async function finishSession(work: Work): Promise<void> {
  const { state, calls, send, signal } = work
  if (state.opened === undefined) throw new Error('no session is open')
  const judged = await calls.finish(state.opened, state.confirmed, { signal })
  forgetNonce(state.opened.session_id)
  state.attempts_left = judged.attempts_left
  if (judged.decision !== 'pass') return onNotPassed(judged, work)
  state.result = { ...judged, ...(await collectedToken(work)) }
  send({ type: 'judged' })
}

/** Only whoever asked gets the token: not a phone that continues, and not a page that was opened by its link. */
async function collectedToken({ state, calls, signal }: Work): Promise<Pick<WidgetResult, 'token'>> {
  if (state.summary?.request === undefined || state.is_elsewhere) return {}
  try {
    const { token } = await calls.collect({ signal })
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
