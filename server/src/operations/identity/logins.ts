/** The state of sign-ins: ephemeral entries, read and written by sign-in pages, sign-in operations and `issueL2`. */
import { AuthorityError, type SignOnReason } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Consent } from '../../domain/tokens/consent.ts'
import { putEphemeral } from '../../store/ephemeral.ts'
import type { OperationContext } from '../operation-context.ts'
import type { ProvenPerson } from './proven-person.ts'

/** Who started a sign-in, and the authority that it is for. */
export interface LoginRequest extends Consent {
  readonly started_by: string
  readonly tenant_id: string
  readonly provider: string
}

/** The state of a sign-in. Its use is a separate entry, so that only one of several concurrent requests can claim it. */
export interface Login extends LoginRequest {
  readonly login_id: string
  readonly status: 'pending' | 'finished' | 'failed'
  readonly reason?: SignOnReason
  /** Present once the sign-in is finished. */
  readonly person?: ProvenPerson
  readonly expires_at_ms: number
}

/** Returns a sign-in that this caller started. For any other, existing or not, throws `login_unknown`. */
export async function ownLogin(login_id: string, caller: Caller, context: OperationContext): Promise<Login> {
  const login = await findLogin(login_id, context)
  if (login?.started_by !== caller.name || login.tenant_id !== caller.tenant_id)
    throw new AuthorityError('login_unknown')
  return login
}

export async function loadLogin(login_id: string, context: OperationContext): Promise<Login> {
  const login = await findLogin(login_id, context)
  if (login === undefined) throw new AuthorityError('login_unknown')
  return login
}

export async function saveLogin(login: Login, { ephemeral }: OperationContext): Promise<void> {
  const entry = {
    key: loginKey(login.login_id),
    value: JSON.stringify(login),
    owner: undefined,
    expires_at_ms: login.expires_at_ms,
  }
  await putEphemeral(ephemeral, 'login', entry)
}

/** Returns the key of the entry that marks a sign-in as used. */
export function loginUseKey(login_id: string): string {
  return `${login_id}:used`
}

async function findLogin(login_id: string, { ephemeral }: OperationContext): Promise<Login | undefined> {
  const entry = await ephemeral.get('login', loginKey(login_id))
  if (entry === undefined) return undefined
  return { ...(JSON.parse(entry.value) as Login), expires_at_ms: entry.expires_at_ms } // only `saveLogin` writes these entries
}

/** Returns the key of a sign-in. The suffix keeps IDs apart from the hashes that are keys of other entries. */
function loginKey(login_id: string): string {
  return `${login_id}:login`
}
