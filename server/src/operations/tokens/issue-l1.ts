import { AuthorityError } from '@deputize/protocol'
import { emailRef } from '../../access/human-ref.ts'
import type { IssueOutcome } from '../../clerk/judges/issue.ts'
import { mintToken } from '../minting/minting.ts'
import { rootClaims } from '../minting/root-claims.ts'
import type { Handler } from '../operation-context.ts'
import { submitPrepared } from '../submit-command.ts'

export const issueL1: Handler<'issueL1'> = async (call, context) => {
  const { body, caller } = call
  const { tenant_id } = caller
  const human_ref = emailRef(context.keys, tenant_id, body.developer_email)
  if (caller.role === 'human' && !caller.human_refs.includes(human_ref))
    throw new AuthorityError('not_yours', 'developer_email must be the address you signed in with.')
  const person = { tenant_id, assurance_level: 'L1', human_ref, email_verified: false, proof: {} } as const
  const prepare = async () => {
    const minted = await mintToken(rootClaims(body, person, context), caller, context)
    return { kind: 'issue', purpose: body.purpose, ...minted } as const
  }
  return submitPrepared<IssueOutcome>(prepare, call, context)
}
