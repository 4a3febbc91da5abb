import { randomBytes } from 'node:crypto'
import { AuthorityError, invalidField, type Scope, widening } from '@deputize/protocol'
import type { IssueOutcome } from '../clerk/judges/issue.ts'
import { beyondCeilings } from '../domain/group-ceilings.ts'
import type { EphemeralKind } from '../store/ephemeral.ts'
import { signOnFailed } from '../verification/sign-on-failed.ts'
import { type Login, ownLogin, providerNamed, providersOf, useKeyOf } from './logins.ts'
import { mint } from './minting.ts'
import { type Call, carryOut, digestOf, type Handler, type OperationContext } from './operation-context.ts'
import { linkIdentity, type ProvenPerson, provenPerson } from './proven-person.ts'
import { rootClaims } from './root-claims.ts'

type L2Call = Call<'issueL2'>

/** A person and what proves them, before it is used up. */
interface Proof {
  readonly person: ProvenPerson
  /** What is noted when the proof is used; undefined for a session, which is good for as long as it lasts. */
  readonly use:
    | { readonly kind: EphemeralKind; readonly key: string; readonly expires_at_ms: number }
    | undefined
}

export const issueL2: Handler<'issueL2'> = async (call, context) => {
  const { body, caller } = call
  const proof = await proofOf(call, context)
  const { person } = proof
  if (caller.role === 'human' && !caller.human_refs.includes(person.human_ref))
    throw signOnFailed('other_person')
  assertWithinGroups(person, body, context)
  const claims = rootClaims(
    body,
    {
      tenant_id: person.tenant_id,
      assurance_level: 'L2',
      human_ref: person.human_ref,
      email_verified: person.email_verified,
      proof: { svc_provider: person.provider, amr: [...person.amr], auth_time: person.auth_time },
    },
    context,
  )
  const minted = await mint(claims, context)
  await linkIdentity(person, context)
  await useUp(proof, call, context)
  return carryOut<IssueOutcome>({ kind: 'issue', purpose: body.purpose, ...minted }, call, context)
}

async function proofOf(call: L2Call, context: OperationContext): Promise<Proof> {
  const { id_token, login_id, nonce } = call.body
  if (id_token !== undefined && login_id !== undefined)
    throw invalidField('/login_id', 'must not be given together with id_token')
  if (nonce !== undefined && id_token === undefined)
    throw invalidField('/nonce', 'means nothing without an id_token')
  if (id_token !== undefined) return tokenProof(id_token, call, context)
  if (login_id !== undefined) return loginProof(await ownLogin(login_id, call.caller, context), call)
  return sessionProof(call, context)
}

async function tokenProof(
  id_token: string,
  { body, caller }: L2Call,
  context: OperationContext,
): Promise<Proof> {
  const providers = providersOf(caller.tenant_id, context)
  const { identity, token_key, expires_at_ms } = await context.signOn.verifyIdToken(id_token, {
    nonce: body.nonce,
    providers,
  })
  const person = provenPerson(identity, providerNamed(identity.provider, context), context)
  return { person, use: { kind: 'id_token', key: token_key, expires_at_ms } }
}

function loginProof(login: Login, { body }: L2Call): Proof {
  const { status, reason, person, expires_at_ms } = login
  if (status === 'failed') throw signOnFailed(reason ?? 'provider_error')
  if (person === undefined) throw notUsable('pending')
  const beyond = beyondAsked(login, body)
  if (beyond.length > 0) throw tooMuch('The person confirmed a sign-on that does not hold', beyond)
  return { person, use: { kind: 'login', key: useKeyOf(login.login_id), expires_at_ms } }
}

/** What the person was shown and confirmed binds. */
function beyondAsked({ agent_id, resources, actions }: Login, asked: Scope & { agent_id: string }): string[] {
  return [
    ...(agent_id === undefined || agent_id === asked.agent_id ? [] : [`agent_id: ${asked.agent_id}`]),
    ...widening(
      { resources: [...(resources ?? asked.resources)], actions: [...(actions ?? asked.actions)] },
      asked,
    ),
  ]
}

async function sessionProof({ caller }: L2Call, context: OperationContext): Promise<Proof> {
  const session =
    caller.role === 'human' ? await context.accessControl.sessions.readByKey(caller.session_key) : undefined
  if (session?.sign_on === undefined)
    throw invalidField(
      '/login_id',
      'is required, or an id_token: this call comes from no session of a sign-on',
    )
  const { tenant_id, human_ref, amr, auth_time_ms, sign_on } = session
  const person: ProvenPerson = {
    tenant_id,
    provider: sign_on.provider,
    human_ref,
    email_verified: sign_on.email_verified,
    email_ref: undefined, // it was linked when the session began
    amr,
    auth_time: Math.floor(auth_time_ms / 1000),
    groups: sign_on.groups,
  }
  return { person, use: undefined }
}

function assertWithinGroups(
  { provider, groups }: ProvenPerson,
  { resources, actions }: Scope,
  context: OperationContext,
): void {
  const ceilings = providerNamed(provider, context).groups
  if (ceilings === undefined) return
  const held = groups.map((group) => ceilings.get(group)).filter((ceiling) => ceiling !== undefined)
  const beyond = beyondCeilings(held, { resources, actions })
  if (beyond.length > 0) throw tooMuch('The groups of the person do not allow', beyond)
}

function tooMuch(what: string, beyond: readonly string[]): AuthorityError {
  return new AuthorityError('scope_widening', `${what}: ${beyond.join(', ')}.`, { widening: beyond })
}

/**
 * Notes that a proof was used, once for all. The note names the request that used it, so that a repeat of that very
 * request, with its Idempotency-Key, still gets the answer that the first one got or lost.
 */
async function useUp({ use }: Proof, call: L2Call, { ephemeral }: OperationContext): Promise<void> {
  if (use === undefined) return
  const { kind, key, expires_at_ms } = use
  const value = JSON.stringify({ by: requestOf(call) })
  if (await ephemeral.add(kind, { key, value, owner: undefined, expires_at_ms })) return
  if ((await ephemeral.get(kind, key))?.value === value) return
  throw kind === 'id_token' ? signOnFailed('id_token_used') : notUsable('used')
}

function requestOf({ caller, idempotency_key, body }: L2Call): string {
  if (idempotency_key === undefined) return randomBytes(16).toString('base64url')
  return digestOf([caller.name, idempotency_key, body])
}

function notUsable(status: 'pending' | 'used'): AuthorityError {
  return new AuthorityError(
    'login_not_usable',
    status === 'used'
      ? 'A token has been issued for this sign-on already. Begin a new one.'
      : 'The person has not signed in and confirmed yet.',
    { login_status: status },
  )
}
