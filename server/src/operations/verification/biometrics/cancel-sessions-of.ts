import { canOpen } from '../../../domain/verification/hosted-session.ts'
import type { OperationContext } from '../../operation-context.ts'
import { cancelSession, findSession, sessionKeptUntil } from '../biometric-sessions/capture-sessions.ts'
import { findHosted, hostedKeptUntil } from '../hosted-sessions/hosted-sessions.ts'

interface SessionToCancel {
  readonly session_id: string
  readonly kept_until_ms: number
}

/** Cancels every session of a person that is open or waiting for a device. Returns how many there were. */
export async function cancelSessionsOf(human_ref: string, context: OperationContext): Promise<number> {
  const hosted = await waitingSessionsOf(human_ref, context)
  const captures = await openCapturesOf(human_ref, context)
  const kept = new Map([...captures, ...hosted].map((one) => [one.session_id, one]))
  for (const session of kept.values()) await cancelSession({ ...session, human_ref }, context)
  return kept.size
}

async function openCapturesOf(human_ref: string, context: OperationContext): Promise<SessionToCancel[]> {
  const entries = await context.ephemeral.ofOwner('capture_session', human_ref)
  const sessions = await Promise.all(entries.map(({ key }) => findSession(key, context)))
  return sessions.flatMap((session) =>
    session?.state === 'open'
      ? [{ session_id: session.session_id, kept_until_ms: sessionKeptUntil(session) }]
      : [],
  )
}

async function waitingSessionsOf(human_ref: string, context: OperationContext): Promise<SessionToCancel[]> {
  const entries = await context.ephemeral.ofOwner('hosted_session', human_ref)
  const found = await Promise.all(entries.map(({ key }) => findHosted(key, context)))
  return found.flatMap((one) =>
    one !== undefined && canOpen(one.facts, context.clock())
      ? [{ session_id: one.hosted.session_id, kept_until_ms: hostedKeptUntil(one.hosted) }]
      : [],
  )
}
