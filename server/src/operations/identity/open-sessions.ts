import type { Session } from '../../access/sessions.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns the open sessions of a person under these refs, newest first. A passkey may sign in with any ref of theirs. */
export async function openSessionsOf(
  human_refs: readonly string[],
  { accessControl }: OperationContext,
): Promise<Session[]> {
  const found = await Promise.all(human_refs.map((human_ref) => accessControl.sessions.list(human_ref)))
  return found.flat().toSorted((one, other) => other.started_at_ms - one.started_at_ms)
}
