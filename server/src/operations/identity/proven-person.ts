import { AuthorityError } from '@deputize/protocol'
import { emailRef, subjectRef } from '../../access/human-ref.ts'
import type { SessionPerson } from '../../access/sessions.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Identity } from '../../verification/identity.ts'
import { type Provider, STAFF_ROLES, type StaffRole } from '../../verification/providers.ts'
import type { OperationContext } from '../operation-context.ts'

const MAX_REFS = 100

/** What is stored about a person who signed in: refs and times, but no address or name. */
export interface ProvenPerson {
  readonly tenant_id: string
  readonly provider: string
  readonly human_ref: string
  readonly email_verified: boolean
  /** The L1 ref of their email address, if the provider reports it as verified in this sign-in. */
  readonly email_ref: string | undefined
  readonly amr: readonly string[]
  readonly auth_time: number
  /** Their groups, limited to those that have a ceiling in the provider's configuration. */
  readonly groups: readonly string[]
  /** The strongest role that their groups give them. Undefined if they can only sign in as a person. */
  readonly staff_role?: StaffRole | undefined
}

export function provenPerson(
  { subject, email, email_verified, amr, auth_time, groups }: Identity,
  provider: Provider,
  { keys }: OperationContext,
): ProvenPerson {
  const { name, issuer, tenant_id } = provider
  return {
    tenant_id,
    provider: name,
    human_ref: subjectRef(keys, tenant_id, issuer, subject),
    email_verified,
    email_ref: email_verified && email !== undefined ? emailRef(keys, tenant_id, email) : undefined,
    amr,
    auth_time,
    groups: groups.filter((group) => provider.groups?.has(group) === true),
    staff_role: STAFF_ROLES.find((role) => groups.some((group) => provider.roles.get(group) === role)),
  }
}

/**
 * Registers the person who proved this email address as the owner of its L1 ref. The first person remains the owner: if
 * an address is reassigned, its new holder gets no access to what the first one did.
 */
export async function linkIdentity(
  { tenant_id, human_ref, email_ref }: ProvenPerson,
  { reader, clerk, clock }: OperationContext,
): Promise<void> {
  if (email_ref === undefined) return
  const known = await reader.registry.entry('identity', email_ref)
  if (known?.document !== undefined) return
  const document = JSON.stringify({ linked_to: human_ref, at: isoInstant(clock()) })
  try {
    await clerk.submit({
      kind: 'register',
      entry_kind: 'identity',
      id: email_ref,
      tenant_id,
      owner: human_ref,
      document,
      expects: 'absent',
    })
  } catch (error) {
    // A concurrent sign-in registered the ref first.
    if (!(error instanceof AuthorityError && error.code === 'registry_conflict')) throw error
  }
}

/** Returns every ref that identifies a person, starting with the ref of this sign-in. */
export async function refsOf(
  { tenant_id, human_ref }: Pick<ProvenPerson, 'human_ref'> & Partial<Pick<ProvenPerson, 'tenant_id'>>,
  { reader }: Pick<OperationContext, 'reader'>,
): Promise<string[]> {
  const { entries } = await reader.registry.list(
    'identity',
    { ...(tenant_id !== undefined && { tenant_id }), owner: human_ref },
    { limit: MAX_REFS, before: undefined },
  )
  return [human_ref, ...entries.map(({ id }) => id)]
}

/** Returns every ref of the person behind a ref, starting with the one that they sign in with. */
export async function personRefsOf(
  human_ref: string,
  context: Pick<OperationContext, 'reader'>,
): Promise<string[]> {
  const identity = await context.reader.registry.entry('identity', human_ref)
  const person = identity?.document === undefined ? human_ref : (identity.owner ?? human_ref)
  return refsOf({ human_ref: person }, context)
}

/** Returns every ref of the person behind a ref, starting with that ref. */
export async function everyRefOf(
  human_ref: string,
  context: Pick<OperationContext, 'reader'>,
): Promise<string[]> {
  return [...new Set([human_ref, ...(await personRefsOf(human_ref, context))])]
}

/** Returns the person as stored in a session. */
export async function sessionPerson(person: ProvenPerson, context: OperationContext): Promise<SessionPerson> {
  const { tenant_id, human_ref, email_verified, provider, groups, amr, auth_time } = person
  return {
    tenant_id,
    human_ref,
    human_refs: await refsOf(person, context),
    assurance_level: 'L2',
    amr,
    auth_time_ms: auth_time * 1000,
    sign_on: { provider, groups, email_verified },
  }
}
