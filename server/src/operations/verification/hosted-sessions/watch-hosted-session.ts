import { setTimeout as sleep } from 'node:timers/promises'
import { isoInstant } from '../../../domain/times/time.ts'
import { canOpen, openingsLeft } from '../../../domain/verification/hosted-session.ts'
import { type ExternalStatus, isFinal } from '../../../verification/external/verdict.ts'
import { findCheck } from '../../external/check-entries.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { verificationView } from '../../views/verification-view.ts'
import type { HostedStatus } from './hosted-sessions.ts'
import { hostedWithSecret, openingSecret } from './opening-secret.ts'

const WATCH_POLL_MS = 400
/** Proxies often end a call after 30 seconds. */
const LONGEST_WATCH_MS = 25_000

/** Waits for a change until the time is up, the caller has left, too many calls wait, or the service shuts down. */
export const watchHostedSession: Handler<'watchHostedSession'> = async (call, context) => {
  const { params, body, caller, hasLeft } = call
  const { waits } = context
  const { isShuttingDown } = context.node
  const { client_token, nonce } = body
  // For the caller that prepared it, the holder of its link, and the capturing device.
  const secret = openingSecret({ client_token, nonce })
  const look = async (status: HostedStatus) =>
    watchView(status, await providerStatus(status, context), context.clock())
  const status = await hostedWithSecret(params.id, secret, context)
  const end = performance.now() + LONGEST_WATCH_MS
  const isOver = () => performance.now() >= end || hasLeft() || isShuttingDown()
  let view = await look(status)
  // No credential is needed here, so the session itself has the share, in its own tenant.
  const watcher = { role: caller.role, name: `session:${params.id}`, tenant_id: status.hosted.tenant_id }
  const leave = view.version === body.after && !isOver() ? waits.take(watcher) : undefined
  if (leave === undefined) return view
  try {
    while (view.version === body.after && !isOver()) {
      await sleep(WATCH_POLL_MS)
      view = await look(await hostedWithSecret(params.id, secret, context))
    }
    return view
  } finally {
    leave()
  }
}

/** Returns the status reported by an open session's provider. Until it is final, has the provider asked when due. */
async function providerStatus(
  { capture, state }: HostedStatus,
  context: OperationContext,
): Promise<ExternalStatus | undefined> {
  if (state !== 'open' || capture?.check === undefined) return undefined
  const { check_id } = capture.check
  const status = (await findCheck(check_id, context))?.document.status
  if (status !== undefined && !isFinal(status)) context.external.askIfDue(check_id)
  return status
}

function watchView(
  { hosted, capture, facts, state }: HostedStatus,
  provider_status: ExternalStatus | undefined,
  now_ms: number,
) {
  const { session_id, purpose, human_ref, provider, expires_at_ms } = hosted
  const steps_done = capture?.progress.steps_done ?? 0
  const can_open = canOpen(facts, now_ms)
  const is_moved = capture?.hosted?.is_moved === true
  const opening = capture?.hosted?.opening ?? 0
  return {
    session_id,
    purpose,
    state,
    version: [state, opening, steps_done, can_open ? 'free' : 'held', provider_status ?? 'none'].join('-'),
    human_ref,
    provider,
    steps_done,
    steps_total: capture?.progress.steps.length ?? 0,
    is_moved,
    can_open,
    openings_left: openingsLeft(facts),
    ...(provider_status !== undefined && { provider_status }),
    ...(state === 'judged' && capture?.result !== undefined
      ? judgedMembers(capture.result)
      : { reasons: [] }),
    expires_at: isoInstant(expires_at_ms),
  }
}

/** Returns the members of a judged session. Watchers have no credential, so they see no numbers. */
function judgedMembers(document: Parameters<typeof verificationView>[0]) {
  const { verification_id, decision, reasons } = verificationView(document, 'public')
  return { verification_id, decision, reasons }
}
