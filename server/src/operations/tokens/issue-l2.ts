import type { Scope } from '@deputize/protocol'
import type { IssueOutcome } from '../../clerk/judges/issue.ts'
import { beyondCeilings } from '../../domain/group-ceilings.ts'
import { signOnFailed } from '../../verification/sign-on-failed.ts'
import { providerByName } from '../identity-providers.ts'
import { type Handler, type OperationContext, submitCommand } from '../operation-context.ts'
import { linkIdentity, type ProvenPerson } from '../proven-person.ts'
import { mintToken } from './minting.ts'
import { rootClaims } from './root-claims.ts'
import { markUsed, readSignInProof } from './sign-in-proof.ts'
import { wideningError } from './widening-error.ts'

export const issueL2: Handler<'issueL2'> = async (call, context) => {
  const { body, caller } = call
  const proof = await readSignInProof(call, context)
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
  const minted = await mintToken(claims, context)
  await linkIdentity(person, context)
  await markUsed(proof, call, context)
  return submitCommand<IssueOutcome>({ kind: 'issue', purpose: body.purpose, ...minted }, call, context)
}

/** Where the provider has group ceilings, the person's groups must allow everything the token holds. */
function assertWithinGroups(
  { provider, groups }: ProvenPerson,
  { resources, actions }: Scope,
  context: OperationContext,
): void {
  const ceilings = providerByName(provider, context).groups
  if (ceilings === undefined) return
  const held = groups.map((group) => ceilings.get(group)).filter((ceiling) => ceiling !== undefined)
  const beyond = beyondCeilings(held, { resources, actions })
  if (beyond.length > 0) throw wideningError(beyond, "The person's groups do not allow")
}
