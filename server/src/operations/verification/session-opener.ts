import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { OperationContext } from '../operation-context.ts'
import type { CaptureSession, SessionOpener } from './capture-sessions.ts'

/**
 * Who may answer a session: whoever holds its nonce, which stands for the caller who opened it. A credential that comes
 * along must be of the same tenant, and never that of an agent: no agent vouches that a person is there.
 */
export async function assertMayCapture(
  caller: Caller,
  { tenant_id, opened_by }: CaptureSession,
  context: OperationContext,
): Promise<void> {
  if (caller.role === 'agent' || caller.role === 'resource_server')
    throw new AuthorityError('not_yours', 'A person answers a verification session, never an agent.')
  if (caller.role !== 'public' && caller.tenant_id !== tenant_id) throw new AuthorityError('session_unknown')
  if (!(await isInForce(opened_by, context)))
    throw new AuthorityError(
      'not_yours',
      'The credential that opened this session is no longer valid. Open a new session.',
    )
}

/** A session ends with the credential that opened it. */
async function isInForce(opener: SessionOpener, context: OperationContext): Promise<boolean> {
  if (opener.role === 'human')
    return (await context.accessControl.sessions.readByKey(opener.session_key)) !== undefined
  if (!('key_id' in opener)) return true
  const entry = await context.reader.registry.entry('api_key', opener.key_id)
  return entry?.document !== undefined
}

/** The caller as the session stores it: what `issue` needs to know of them, and no secret. */
export function sessionOpener(caller: Caller): SessionOpener {
  if (caller.role !== 'human') return caller
  const { csrf_token: _, ...opener } = caller
  return opener
}

/** The opener as a caller, for the rules that a new token must meet. */
export function callerOf(opener: SessionOpener): Caller {
  return opener.role === 'human' ? { ...opener, csrf_token: '' } : opener
}
