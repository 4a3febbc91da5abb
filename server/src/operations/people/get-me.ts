import { allowedOperations } from '../../access/authorize-caller.ts'
import type { Caller, HumanCaller, KeyCaller } from '../../access/caller.ts'
import type { ApiKeyDocument } from '../../access/key-holders.ts'
import { usablePasskeys } from '../../access/passkey-document.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'

type Me = Awaited<ReturnType<Handler<'getMe'>>>
type Own = Omit<Me, 'role' | 'tenant_id' | 'operations'>

export const getMe: Handler<'getMe'> = async ({ caller }: OperationCall<'getMe'>, context) => ({
  role: caller.role === 'public' ? 'local' : caller.role, // the access table lets no caller in without a credential
  tenant_id: caller.tenant_id,
  operations: allowedOperations(caller),
  ...(await ownMembers(caller, context)),
})

async function ownMembers(caller: Caller, context: OperationContext): Promise<Own> {
  switch (caller.role) {
    case 'human':
      return personMembers(caller, context)
    case 'agent':
      return { name: caller.agent_id }
    case 'local':
    case 'public':
      return { name: caller.name }
    default:
      return keyMembers(caller, context)
  }
}

async function personMembers(person: HumanCaller, { reader, accessControl }: OperationContext): Promise<Own> {
  const { human_ref, human_refs, assurance_level, amr, auth_time_ms, csrf_token, session_key } = person
  const session = await accessControl.sessions.readByKey(session_key)
  return {
    name: human_ref,
    human_ref,
    human_refs: [...human_refs],
    assurance_level,
    amr: [...amr],
    auth_time: isoInstant(auth_time_ms),
    csrf_token,
    session_id: session_key,
    ...(session !== undefined && { session_expires_at: isoInstant(session.expires_at_ms) }),
    passkeys: (await usablePasskeys(reader.registry, person)).length,
  }
}

async function keyMembers({ key_id, session }: KeyCaller, { reader }: OperationContext): Promise<Own> {
  return {
    name: await keyName(key_id, reader.registry),
    key_id,
    ...(session !== undefined && {
      csrf_token: session.csrf_token,
      session_id: session.session_key,
      session_expires_at: isoInstant(session.expires_at_ms),
    }),
  }
}

/** Returns the name that the key was given. */
export async function keyName(
  key_id: string,
  registry: OperationContext['reader']['registry'],
): Promise<string> {
  const document = (await registry.entry('api_key', key_id))?.document
  if (document === undefined) return key_id
  const { name }: ApiKeyDocument = JSON.parse(document)
  return name
}
