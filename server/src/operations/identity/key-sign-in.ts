import type { KeyCaller } from '../../access/caller.ts'
import type { SessionRole } from '../../access/key-sessions.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'

/** Opens a session for a key whose role has sessions. */
export async function keySignIn(
  holder: KeyCaller & { readonly role: SessionRole },
  onSession: OperationCall<'signInWithKey'>['onSession'],
  { accessControl }: OperationContext,
  passkey_id?: string,
): Promise<Awaited<ReturnType<Handler<'signInWithKey'>>>> {
  const { role, tenant_id, key_id } = holder
  const { session, secret, csrf_token } = await accessControl.keySessions.create(holder, passkey_id)
  onSession(secret)
  return {
    role,
    tenant_id,
    key_id,
    session_id: session.session_key,
    csrf_token,
    expires_at: isoInstant(session.expires_at_ms),
  }
}
