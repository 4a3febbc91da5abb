import { AuthorityError, type Claims, LEVELS, newId } from '@deputize/protocol'
import type { IssueOutcome } from '../clerk/judges/issue.ts'
import { assertLive } from '../domain/decision.ts'
import type { Chain } from '../domain/token.ts'
import { asserted, assertedNames } from './assertions.ts'
import { chainOf, wideningError } from './delegate.ts'
import { mint, withinTimes } from './minting.ts'
import { carryOut, type Handler, type OperationContext } from './operation-context.ts'

const MAX_RENEWALS = 50

/**
 * A fresh token of the same scope and workflow. It stands below the one it renews and shares its budgets and counts, so
 * that renewing never doubles anything, and one revoke of the old token still silences both.
 */
export const renewToken: Handler<'renewToken'> = async (call, context) => {
  const chain = await chainOf(call.body.vat_jti, context)
  assertLive(chain, context.clock())
  assertRenewable(chain)
  const [{ token }] = chain
  if (call.caller.role === 'developer' && token.assurance_level !== 'L1')
    throw new AuthorityError(
      'not_yours',
      'A person has proven themselves for this token: only they can renew it.',
    )
  const purpose = (await context.reader.words([token.jti])).get(token.jti)?.purpose
  const minted = await mint(renewedClaims(chain, call.body.expires_in, context), context)
  const outcome = await carryOut<IssueOutcome>(
    { kind: 'renew', above_jti: token.jti, purpose, ...minted },
    call,
    context,
  )
  return {
    ...outcome,
    renews_jti: token.jti,
    root_jti: token.root_jti,
    delegation_depth: token.delegation_depth,
  }
}

/** Each renewal is one more link to ask at every action. */
function assertRenewable(chain: Chain): void {
  const renewals = chain.filter(({ token }) => token.renews_jti !== undefined).length
  if (renewals < MAX_RENEWALS) return
  throw new AuthorityError(
    'delegation_not_allowed',
    `A chain holds at most ${MAX_RENEWALS} renewals. Issue a new token.`,
  )
}

function renewedClaims(chain: Chain, expires_in: number, context: OperationContext): Claims {
  const [{ token }] = chain
  const now_ms = context.clock()
  const iat = Math.floor(now_ms / 1000)
  const exp = iat + expires_in
  if (expires_in > LEVELS[token.assurance_level].max_lifetime_s || exp > parentEnd(chain))
    throw wideningError(['expires_in'])
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
  return asserted(bounded, assertedNames(token.claims), context)
}

/** A renewed child still ends with its parent. */
function parentEnd([{ token }, ...above]: Chain): number {
  const parent = above.find((link) => link.token.jti === token.parent_jti)
  return parent === undefined
    ? Number.POSITIVE_INFINITY
    : Math.floor(parent.token.limits.expires_at_ms / 1000)
}
