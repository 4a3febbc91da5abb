import type { IssueCommand } from '../../clerk/command.ts'
import type { IssueOutcome } from '../../clerk/judges/issue.ts'
import { withinConsent } from '../../domain/tokens/consent.ts'
import { signOnFailed } from '../../verification/sign-on-failed.ts'
import { linkIdentity } from '../identity/proven-person.ts'
import { mintToken } from '../minting/minting.ts'
import { assertWithinGroups } from '../minting/obtainable.ts'
import { rootClaims } from '../minting/root-claims.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { submitPrepared } from '../submit-command.ts'
import { markUsed, readSignInProof } from './sign-in-proof.ts'

export const issueL2: Handler<'issueL2'> = (call, context) =>
  submitPrepared<IssueOutcome>(() => issueCommand(call, context), call, context)

async function issueCommand(
  call: OperationCall<'issueL2'>,
  context: OperationContext,
): Promise<IssueCommand> {
  const { caller } = call
  const proof = await readSignInProof(call, context)
  const { person, consent } = proof
  const body = consent === undefined ? call.body : withinConsent(consent, call.body)
  if (caller.role === 'human' && !caller.human_refs.includes(person.human_ref))
    throw signOnFailed('other_person')
  assertWithinGroups(person.provider, person.groups, body, context)
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
  const minted = await mintToken(claims, caller, context)
  await linkIdentity(person, context)
  await markUsed(proof, call, context)
  return { kind: 'issue', purpose: body.purpose, ...minted }
}
