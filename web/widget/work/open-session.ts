import { until } from '../../capture/until.ts'
import type { Work } from './work.ts'

const ASK_AGAIN_MS = 1500

/** Who asks for what, and what the person agrees to. */
export async function describeSession({ state, calls, send, signal }: Work): Promise<void> {
  const [summary, consent] = await Promise.all([calls.describe({ signal }), calls.consent({ signal })])
  state.summary = summary
  state.consent = consent
  send({ type: 'described' })
}

/** From here on the time of the capture runs. */
export async function openSession({ state, calls, send, signal }: Work): Promise<void> {
  const wish = {
    consent_version: state.consent?.version ?? '',
    accommodations: [...state.accommodations],
    language: state.language.language,
  }
  const opened = await calls.open(wish, { signal })
  state.opened = opened
  state.steps_done = 0
  if (opened.step === undefined) send({ type: 'opened_external' })
  else send({ type: 'revealed', step: opened.step, reasons: [] })
}

/** The person is on the page of a provider. */
export async function awaitProvider({ state, calls, send, signal }: Work): Promise<void> {
  for (;;) {
    const { state: session_state } = await calls.describe({ signal })
    if (session_state !== 'waiting' && session_state !== 'open') break
    await until(performance.now() + ASK_AGAIN_MS, signal)
  }
  send({ type: 'answered', passkey_required: state.opened?.passkey_required === true })
}

/** The person has left. What is not cancelled expires, so a failure changes nothing. */
export async function cancelCapture({ state, calls, signal }: Work): Promise<void> {
  if (state.opened !== undefined) await calls.cancel(state.opened, { signal }).catch(() => {})
}
