import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import type { ApiKeyDocument } from '../../../access/key-holders.ts'
import type { OperationContext } from '../../operation-context.ts'
import type { CaptureSession, SessionOpener } from './capture-sessions.ts'

/**
 * Refuses if the credential that opened a session is gone. The holder of a session's nonce may answer it without a
 * credential, because a person's device has none. The nonce acts for the caller that opened the session, so it is
 * useless once that caller's credential is gone.
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
  // A session outlives a restart. Sessions that programs on the machine opened in open mode are useless in keyed mode.
  if (!('key_id' in opener)) return context.access === 'open'
  const entry = await context.reader.registry.entry('api_key', opener.key_id)
  if (entry?.document === undefined) return false
  const { expires_at }: ApiKeyDocument = JSON.parse(entry.document)
  return Date.parse(expires_at) > context.clock()
}

/** Returns the caller as stored in the session: what `issue` needs to know, and no secret. */
export function sessionOpener(caller: Caller): SessionOpener {
  if ('session' in caller) return { ...caller, session: undefined }
  if (caller.role !== 'human') return caller
  const { csrf_token: _, ...opener } = caller
  return opener
}

/** Returns the opener as a caller, for the rules that a new token must meet. */
export function callerOf(opener: SessionOpener): Caller {
  return opener.role === 'human' ? { ...opener, csrf_token: '' } : opener
}
