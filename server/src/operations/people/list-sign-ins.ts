import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import { type Caller, sessionKeyFor } from '../../access/caller.ts'
import type { KeySession, LiveKeySession } from '../../access/key-sessions.ts'
import type { Session } from '../../access/sessions.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { openSessionsOf } from '../identity/open-sessions.ts'
import { everyRefOf } from '../identity/proven-person.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { keyName } from './get-me.ts'

type SignInView = AnswerOf<typeof OPERATIONS.listSignIns>['data'][number]

export const listSignIns: Handler<'listSignIns'> = async ({ caller, query }, context) => {
  if (caller.role === 'human') {
    const own = await openSessionsOf(caller.human_refs, context)
    return { data: own.map((session) => personView(session, caller)) }
  }
  if (query.human_ref !== undefined) {
    const refs = caller.role === 'operator' ? await everyRefOf(query.human_ref, context) : []
    const found = await openSessionsOf(refs, context)
    const ofTenant = found.filter(({ tenant_id }) => tenant_id === caller.tenant_id)
    return { data: ofTenant.map((session) => personView(session, caller)) }
  }
  const { keySessions } = context.accessControl
  const visible = await keySessions.list(caller.tenant_id, (session) => mayEndKeySession(caller, session))
  return { data: await Promise.all(visible.map((found) => keyView(found, caller, context))) }
}

/**
 * Whether the caller may end a key session: operators may end those of their tenant, others those of their own key and
 * of keys that it replaced.
 */
export function mayEndKeySession(caller: Caller, { tenant_id, owner_id }: KeySession): boolean {
  if (!('key_id' in caller) || caller.tenant_id !== tenant_id) return false
  return caller.role === 'operator' || (caller.owner_id ?? caller.key_id) === owner_id
}

function personView(
  { session_key, human_ref, started_at_ms, expires_at_ms }: Session,
  caller: Caller,
): SignInView {
  return {
    session_id: session_key,
    role: 'human',
    human_ref,
    current: sessionKeyFor(caller) === session_key,
    started_at: isoInstant(started_at_ms),
    expires_at: isoInstant(expires_at_ms),
  }
}

async function keyView(
  { session, caller: holder }: LiveKeySession,
  caller: Caller,
  { reader }: OperationContext,
): Promise<SignInView> {
  const { session_key, key_id, started_at_ms, expires_at_ms } = session
  return {
    session_id: session_key,
    role: holder.role as 'operator', // sessions of other roles are not in force
    key_id,
    key_name: await keyName(key_id, reader.registry),
    current: sessionKeyFor(caller) === session_key,
    started_at: isoInstant(started_at_ms),
    expires_at: isoInstant(expires_at_ms),
  }
}
