import { deviceKey, forgetDeviceKey, keptDeviceKey } from '../device-key.ts'
import { isExternal } from '../flow-state.ts'
import { openedBefore } from '../problems.ts'
import { CallRefused, type SeenSession, type SessionSummary } from '../session-calls.ts'
import { troubleOf, waitFor } from './keep-trying.ts'
import type { Work } from './work.ts'

/** Loads who asks for what, and what the person agrees to. */
export async function describeSession(work: Work): Promise<void> {
  const { state, calls, send, signal } = work
  const [summary, consent] = await Promise.all([describedSession(work), calls.consent({ signal })])
  state.summary = summary
  for (const left_out of summary.accommodations) state.accommodations.add(left_out)
  state.consent = consent
  send((await mayOpen(summary, work)) ? { type: 'described' } : openedBefore(summary.state))
}

/** A code works once, so a phone whose page was reloaded asks with its key. */
async function describedSession({ calls, signal }: Work): Promise<SessionSummary> {
  try {
    return await calls.describe(undefined, { signal })
  } catch (error) {
    const key = keptDeviceKey(calls.session_id)
    if (key === undefined || !(error instanceof CallRefused)) throw error
    // Why the code was refused says more than that the key is old too.
    return calls.describe(key, { signal }).catch(() => Promise.reject(error))
  }
}

/**
 * Whether the session can be opened. A valid code opens it, and so does the key of a tab that has begun. With the
 * client token, a capture that didn't pass can be followed by another.
 */
async function mayOpen(summary: SessionSummary, { state, calls, signal }: Work): Promise<boolean> {
  if (summary.state === 'waiting') return true
  if (summary.state === 'open' && keptDeviceKey(summary.session_id) !== undefined) return true
  if (state.is_elsewhere) return summary.state === 'open' || summary.state === 'judged'
  return summary.state === 'judged' && (await calls.watch(undefined, undefined, { signal })).can_open
}

/** Opens the session, which starts the time limit of the capture. */
export async function openSession({ state, calls, send, signal }: Work): Promise<void> {
  // The same key for all openings: the answer to each may be lost.
  state.device_key ??= deviceKey(calls.session_id)
  const wish = {
    device_key: state.device_key,
    // A person can't agree to a text that wasn't shown.
    consent_version: isExternal(state) ? undefined : state.consent?.version,
    accommodations: [...state.accommodations],
    language: state.language.language,
  }
  const opened = await calls.open(wish, { signal })
  state.opened = opened
  state.steps_done = 0
  // A passkey's signature belongs to one opening.
  state.challenge = undefined
  state.confirmed = {}
  if (opened.step === undefined) send({ type: 'opened_external' })
  else send({ type: 'revealed', step: opened.step, reasons: [] })
}

/** Waits while the person is on a provider's page. Browsers end calls of background pages, so calls are repeated. */
export async function awaitProvider({ state, calls, send, signal }: Work): Promise<void> {
  let seen: SeenSession | undefined
  while (seen === undefined || isUndecided(seen))
    try {
      seen = await calls.watch(state.opened, seen?.version, { signal })
    } catch (error) {
      if (troubleOf(error) === undefined) throw error
      await waitFor(error, signal)
    }
  // Only a pass is confirmed with a passkey.
  const isPass = seen.provider_status === 'pass'
  send({ type: 'answered', passkey_required: isPass && state.opened?.passkey_required === true })
}

function isUndecided({ state, provider_status = 'pending' }: SeenSession): boolean {
  return state === 'open' && (provider_status === 'pending' || provider_status === 'review')
}

/** Cancels after the person has left. Failures are ignored, because the session expires anyway. */
export async function cancelCapture({ state, calls, signal }: Work): Promise<void> {
  if (state.opened !== undefined) forgetDeviceKey(state.opened.session_id)
  if (state.opened !== undefined || !state.is_elsewhere)
    await calls.cancel(state.opened, { signal }).catch(() => {})
}
