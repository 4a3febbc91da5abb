import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import type { ApiKeyDocument } from '../../../access/key-holders.ts'
import type { OperationContext } from '../../operation-context.ts'
import type { CaptureSession, SessionOpener } from './capture-sessions.ts'

/**
 * The holder of the nonce of a session may answer it, without a credential: the device of a person has none. The nonce
 * stands for the caller who opened the session, so it is worth nothing once their credential is gone.
 */
export async function assertOpenerInForce(
  { opened_by }: Pick<CaptureSession, 'opened_by'>,
  context: OperationContext,
): Promise<void> {
  if (!(await isInForce(opened_by, context)))
    throw new AuthorityError(
      'not_yours',
      'The credential that opened this session is no longer valid. Open a new session.',
    )
}

async function isInForce(opener: SessionOpener, context: OperationContext): Promise<boolean> {
  if (opener.role === 'human')
    return (await context.accessControl.sessions.readByKey(opener.session_key)) !== undefined
  // A session outlives a restart. What any program on the machine opened in open mode is worth nothing in keyed mode.
  if (!('key_id' in opener)) return context.access === 'open'
  const entry = await context.reader.registry.entry('api_key', opener.key_id)
  if (entry?.document === undefined) return false
  const { expires_at }: ApiKeyDocument = JSON.parse(entry.document)
  return Date.parse(expires_at) > context.clock()
}

/** The caller as the session stores it: what `issue` needs to know of them, and no secret. */
export function sessionOpener(caller: Caller): SessionOpener {
  if ('session' in caller) return { ...caller, session: undefined }
  if (caller.role !== 'human') return caller
  const { csrf_token: _, ...opener } = caller
  return opener
}

/** The opener as a caller, for the rules that a new token must meet. */
export function callerOf(opener: SessionOpener): Caller {
  return opener.role === 'human' ? { ...opener, csrf_token: '' } : opener
}
