/** The proof of a person that `issueL2` accepts: an ID token, a confirmed sign-in, or the caller's own session. */
import { randomBytes } from 'node:crypto'
import { AuthorityError, invalidField } from '@deputize/protocol'
import { beyondConsent, type Consent } from '../../domain/tokens/consent.ts'
import type { EphemeralKind } from '../../store/ephemeral.ts'
import { signOnFailed } from '../../verification/sign-on-failed.ts'
import { providerByName, providersOfTenant } from '../identity/identity-providers.ts'
import { type Login, loginUseKey, ownLogin } from '../identity/logins.ts'
import { type ProvenPerson, provenPerson } from '../identity/proven-person.ts'
import { wideningError } from '../minting/widening-error.ts'
import type { OperationCall, OperationContext } from '../operation-context.ts'
import { canonicalDigest } from '../submit-command.ts'

type IssueL2Call = OperationCall<'issueL2'>

/** A person and the proof of who they are, before the proof is used. */
interface SignInProof {
  readonly person: ProvenPerson
  /** What the person confirmed on the service's page. Undefined if no page asked them. */
  readonly consent: Consent | undefined
  /** The entry that marks the proof as used. A session has none: it can be used as long as it lasts. */
  readonly use:
    | { readonly kind: EphemeralKind; readonly key: string; readonly expires_at_ms: number }
    | undefined
}

export async function readSignInProof(call: IssueL2Call, context: OperationContext): Promise<SignInProof> {
  const { id_token, login_id, nonce } = call.body
  if (id_token !== undefined && login_id !== undefined)
    throw invalidField('/login_id', 'cannot be combined with id_token; send one of the two')
  if (nonce !== undefined && id_token === undefined)
    throw invalidField('/nonce', 'is allowed only together with id_token')
  if (id_token !== undefined) return idTokenProof(id_token, call, context)
  if (login_id !== undefined) return loginProof(await ownLogin(login_id, call.caller, context), call.body)
  return sessionProof(call, context)
}

async function idTokenProof(
  id_token: string,
  { body, caller }: IssueL2Call,
  context: OperationContext,
): Promise<SignInProof> {
  const providers = providersOfTenant(caller.tenant_id, context)
  const { identity, token_key, expires_at_ms } = await context.verification.signIn.verifyIdToken(id_token, {
    nonce: body.nonce,
    providers,
  })
  const person = provenPerson(identity, providerByName(identity.provider, context), context)
  return { person, consent: undefined, use: { kind: 'id_token', key: token_key, expires_at_ms } }
}

/** Returns the proof of a sign-in. The token may contain no more than the page showed when the person confirmed. */
function loginProof(login: Login, body: IssueL2Call['body']): SignInProof {
  const { status, reason, person, expires_at_ms } = login
  if (status === 'failed') throw signOnFailed(reason ?? 'provider_error')
  if (person === undefined) throw loginNotUsable('pending')
  const beyond = beyondConsent(login, body)
  if (beyond.length > 0) throw wideningError(beyond, 'The sign-in that the person confirmed does not include')
  return { person, consent: login, use: { kind: 'login', key: loginUseKey(login.login_id), expires_at_ms } }
}

async function sessionProof({ caller }: IssueL2Call, context: OperationContext): Promise<SignInProof> {
  const session =
    caller.role === 'human' ? await context.accessControl.sessions.readByKey(caller.session_key) : undefined
  if (session?.sign_on === undefined)
    throw invalidField(
      '/login_id',
      'is required unless you send an id_token or call with the session of a person who signed in with a provider',
    )
  const { tenant_id, human_ref, amr, auth_time_ms, sign_on } = session
  const person: ProvenPerson = {
    tenant_id,
    provider: sign_on.provider,
    human_ref,
    email_verified: sign_on.email_verified,
    email_ref: undefined, // linked when the session began
    amr,
    auth_time: Math.floor(auth_time_ms / 1000),
    groups: sign_on.groups,
  }
  return { person, consent: undefined, use: undefined }
}

/**
 * Marks a proof as used, once. The mark names the request that used it, so a retry of that request with its
 * Idempotency-Key still succeeds. A crash after this line and before the token is committed leaves a used proof and no
 * token: without an Idempotency-Key the person signs in again.
 */
export async function markUsed(
  { use }: SignInProof,
  call: IssueL2Call,
  { ephemeral }: OperationContext,
): Promise<void> {
  if (use === undefined) return
  const { kind, key, expires_at_ms } = use
  const value = JSON.stringify({ by: requestMark(call) })
  if (await ephemeral.add(kind, { key, value, owner: undefined, expires_at_ms })) return
  if ((await ephemeral.get(kind, key))?.value === value) return
  throw kind === 'id_token' ? signOnFailed('id_token_used') : loginNotUsable('used')
}

function requestMark({ caller, idempotency_key, body }: IssueL2Call): string {
  if (idempotency_key === undefined) return randomBytes(16).toString('base64url')
  return canonicalDigest([caller.name, idempotency_key, body])
}

function loginNotUsable(status: 'pending' | 'used'): AuthorityError {
  return new AuthorityError(
    'login_not_usable',
    status === 'used'
      ? 'A token was already issued for this sign-in. Start a new sign-in.'
      : 'The person has not signed in and confirmed yet. Try again when the sign-in is finished.',
    { login_status: status },
  )
}
