import { AuthorityError, type Claims, LEVELS, newId } from '@deputize/protocol'
import type { ExtendCommand } from '../../clerk/command.ts'
import type { IssueOutcome } from '../../clerk/judges/issue.ts'
import { assertLive } from '../../domain/decision.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { verificationEnd } from '../../domain/verification/verification-age.ts'
import { loadStanding } from '../loading/load-chain.ts'
import { mintToken, withinTimes } from '../minting/minting.ts'
import { assertedPolicies, withPolicyAssertions } from '../minting/policy-assertions.ts'
import { wideningError } from '../minting/widening-error.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { submitPrepared } from '../submit-command.ts'

const MAX_RENEWALS = 50

/**
 * Issues a new token with the same scope and workflow. It is a child of the token that it renews and shares its budgets
 * and counters, so a renewal never doubles a limit, and revoking the old token revokes both.
 */
export const renewToken: Handler<'renewToken'> = async (call, context) => {
  const chain = await loadStanding(call.body.vat_jti, context)
  const [{ token }] = chain
  if (call.caller.role === 'developer' && token.assurance_level !== 'L1')
    throw new AuthorityError(
      'not_yours',
      'A person proved their identity for this token, so only that person can renew it.',
    )
  const prepare = () => renewCommand(chain, call, context)
  const outcome = await submitPrepared<IssueOutcome>(prepare, call, context)
  return {
    ...outcome,
    renews_jti: token.jti,
    root_jti: token.root_jti,
    delegation_depth: token.delegation_depth,
  }
}

async function renewCommand(
  chain: Chain,
  { body, caller }: OperationCall<'renewToken'>,
  context: OperationContext,
): Promise<ExtendCommand> {
  assertLive(chain, context.clock())
  assertRenewable(chain)
  const [{ token }] = chain
  const purpose = (await context.reader.words([token.jti])).get(token.jti)?.purpose
  const minted = await mintToken(renewedClaims(chain, body.expires_in, context), caller, context)
  return { kind: 'renew', above_jti: token.jti, purpose, ...minted }
}

/** Refuses a renewal beyond the limit. Every action checks the whole chain, and each renewal adds a link to it. */
function assertRenewable(chain: Chain): void {
  const renewals = chain.filter(({ token }) => token.renews_jti !== undefined).length
  if (renewals < MAX_RENEWALS) return
  throw new AuthorityError(
    'delegation_not_allowed',
    `This token has been renewed ${MAX_RENEWALS} times, which is the limit. Issue a new token.`,
  )
}

function renewedClaims(chain: Chain, expires_in: number, context: OperationContext): Claims {
  const [{ token }] = chain
  const now_ms = context.clock()
  const iat = Math.floor(now_ms / 1000)
  const exp = iat + expires_in
  if (expires_in > LEVELS[token.assurance_level].max_lifetime_s || exp > parentExpiry(chain))
    throw wideningError(['expires_in'])
  if (exp > verificationEnd(token.claims))
    throw wideningError(
      ['expires_in'],
      `A verification covers a token for ${LEVELS.L3.max_lifetime_s} seconds; verify again and issue a new token`,
    )
  const { status: _status, svc_policy_assertions: _assertions, ...claims } = token.claims
  const renewed: Claims = {
    ...claims,
    iat,
    nbf: iat,
    exp,
    jti: newId(token.delegation_depth === 0 ? 'root_token' : 'sub_token', now_ms),
    svc_renews_jti: token.jti,
  }
  const bounded = withinTimes(renewed, token.claims.svc_constraints ?? {})
  if (bounded.exp <= iat) throw new AuthorityError('scope_widening')
  return withPolicyAssertions(bounded, assertedPolicies(token.claims), context)
}

/** Returns when the parent expires. A renewed child still expires with its parent. */
function parentExpiry([{ token }, ...above]: Chain): number {
  const parent = above.find((link) => link.token.jti === token.parent_jti)
  return parent === undefined
    ? Number.POSITIVE_INFINITY
    : Math.floor(parent.token.limits.expires_at_ms / 1000)
}
