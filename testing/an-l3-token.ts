import { generateKeyPairSync } from 'node:crypto'
import type { Claims } from '@deputize/protocol'
import type { LocalCaller } from '../server/src/access/caller.ts'
import type { IssueOutcome } from '../server/src/clerk/judges/issue.ts'
import { HOLDS_NOTHING, type InnerLimits } from '../server/src/domain/tokens/inner-limits.ts'
import { mintToken, newInnerLimits } from '../server/src/operations/minting/minting.ts'
import { rootClaims } from '../server/src/operations/minting/root-claims.ts'
import type { OperationContext } from '../server/src/operations/operation-context.ts'

interface L3Request {
  readonly human_ref?: string
  readonly agent_id?: string
  readonly inner_limits?: InnerLimits
  readonly constraints?: Claims['svc_constraints']
  readonly tenant_id?: string
}

/** An L3 root token with these inner limits, issued like after a passed verification. */
export async function anL3Token(
  { context }: { readonly context: OperationContext },
  {
    human_ref = `sha256:${'3'.repeat(64)}`,
    agent_id = 'proven-bot',
    inner_limits = HOLDS_NOTHING,
    constraints,
    tenant_id = 'default',
  }: L3Request = {},
): Promise<IssueOutcome> {
  const caller: LocalCaller = { role: 'local', tenant_id, name: 'local' }
  const claims = rootClaims(
    {
      agent_id,
      resources: ['calendar:*', 'shop:orders'],
      actions: ['read', 'write', 'buy', 'delegate'],
      // In keyed mode a token without its agent's key is refused.
      ...(context.access === 'keyed' && { agent_jwk: aPublicKey() }),
      ...(constraints !== undefined && { constraints }),
    },
    { tenant_id, assurance_level: 'L3', human_ref, email_verified: false, proof: {} },
    context,
  )
  const minted = await mintToken(claims, caller, context)
  const { outcome } = await context.clerk.submit({
    kind: 'issue',
    purpose: undefined,
    ...minted,
    inner_limits: newInnerLimits(inner_limits),
  })
  return outcome as IssueOutcome // the judge of this command makes it
}

function aPublicKey(): Record<string, unknown> {
  return { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }
}
