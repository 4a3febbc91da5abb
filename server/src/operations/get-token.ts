import {
  type AnswerOf,
  covers,
  type OPERATIONS,
  shownAgent,
  type TokenStatus,
  toUsd,
} from '@deputize/protocol'
import { type Budget, budgetOf } from '../domain/budget.ts'
import { livenessReasons } from '../domain/decision.ts'
import { isoInstant } from '../domain/time.ts'
import { type Chain, type Link, type TokenWords, viewsOf } from '../domain/token.ts'
import { chainOf } from './delegate.ts'
import type { Handler, OperationContext } from './operation-context.ts'
import { emptyPage, pageAnswer, pageRequest } from './pages.ts'
import { sightOf } from './sight.ts'

export const getToken: Handler<'getToken'> = async ({ params }, context) => {
  const chain = await chainOf(params.jti, context)
  const words = await wordsOf([chain], context)
  return tokenView(chain, words(chain), context.clock())
}

export const getTokenChain: Handler<'getTokenChain'> = async ({ params }, context) => {
  const views = viewsOf(await chainOf(params.jti, context))
  const words = await wordsOf(views, context)
  return { data: views.map((view) => tokenView(view, words(view), context.clock())) }
}

export const listTokens: Handler<'listTokens'> = async ({ caller, query }, context) => {
  const sight = sightOf(caller, query)
  if (sight === undefined) return emptyPage()
  const { assurance_level, provenance_ref } = query
  const page = await context.reader.tokens({ ...sight, assurance_level, provenance_ref }, pageRequest(query))
  const words = await wordsOf(page.entries, context)
  return pageAnswer(page, (chain) => tokenView(chain, words(chain), context.clock()))
}

export const listDescendants: Handler<'listDescendants'> = async ({ params, query }, context) => {
  await chainOf(params.jti, context)
  const page = await context.reader.descendants(params.jti, pageRequest(query))
  const words = await wordsOf(page.entries, context)
  return pageAnswer(page, (chain) => tokenView(chain, words(chain), context.clock()))
}

export const getTokenBudget: Handler<'getTokenBudget'> = async ({ params }, context) => {
  const chain = await chainOf(params.jti, context)
  const [{ token, state }] = chain
  const own = budgetOf(token.limits, state)
  const tightest = chain.flatMap(accountOf).sort((a, b) => a.remaining_usd - b.remaining_usd)[0]
  return {
    jti: token.jti,
    spent_usd: toUsd(state.spent_micro_usd),
    reserved_usd: toUsd(state.reserved_micro_usd),
    ...(own !== undefined && budgetView(own)),
    ...(tightest !== undefined && { tightest }),
  }
}

function accountOf({ token, state }: Link) {
  const budget = budgetOf(token.limits, state)
  return budget === undefined ? [] : [{ jti: token.jti, ...budgetView(budget) }]
}

/** A pattern counts as used when something it covers was used; the suggestion names just that. */
export const getTokenUsage: Handler<'getTokenUsage'> = async ({ params }, context) => {
  const [{ token }] = await chainOf(params.jti, context)
  const { actions, resources, records_seen } = await context.reader.usage(params.jti)
  const granted = token.scope
  const suggested_scope = {
    resources: resources.filter((one) => granted.resources.some((held) => covers(held, one))),
    actions: granted.actions.filter((one) => actions.includes(one)),
  }
  return {
    jti: token.jti,
    granted,
    used: { resources: [...resources], actions: [...actions] },
    unused: {
      resources: granted.resources.filter((held) => !resources.some((one) => covers(held, one))),
      actions: granted.actions.filter((one) => !actions.includes(one)),
    },
    suggested_scope,
    records_seen,
  }
}

/** What was said about the first token of each chain. */
export async function wordsOf(chains: readonly Chain[], { reader }: OperationContext) {
  const words = await reader.words(chains.map(([{ token }]) => token.jti))
  return ([{ token }]: Chain): TokenWords | undefined => words.get(token.jti)
}

/** A token as the API shows it: what it allows, whether it is in force, what it has used. */
export function tokenView(
  chain: Chain,
  words: TokenWords | undefined,
  now_ms: number,
): AnswerOf<typeof OPERATIONS.getToken> {
  const [{ token, state }] = chain
  const budget = budgetOf(token.limits, state)
  return {
    jti: token.jti,
    provenance_ref: token.provenance_ref,
    root_jti: token.root_jti,
    agent_id: shownAgent(token.agent_id),
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    delegation_depth: token.delegation_depth,
    status: statusOf(chain, now_ms),
    claims: token.claims,
    total_actions: state.actions,
    issued_at: isoInstant(token.issued_at_ms),
    expires_at: isoInstant(token.limits.expires_at_ms),
    log_index: token.log_index,
    ...(token.parent_jti !== undefined && { parent_jti: token.parent_jti }),
    ...(token.renews_jti !== undefined && { renews_jti: token.renews_jti }),
    ...(words?.purpose !== undefined && { purpose: words.purpose }),
    ...(budget !== undefined && { budget: budgetView(budget) }),
    ...(state.revoked_at_ms !== undefined && { revoked_at: isoInstant(state.revoked_at_ms) }),
    ...(words?.revoke_reason !== undefined && { revoke_reason: words.revoke_reason }),
    ...(state.suspended_at_ms !== undefined && { suspended_at: isoInstant(state.suspended_at_ms) }),
    ...(words?.erased === true && { erased: true }),
  }
}

/** A token is only as alive as every ancestor, and as everybody who holds one. */
export function statusOf(chain: Chain, now_ms: number): TokenStatus {
  const reasons = livenessReasons(chain, now_ms)
  if (reasons.includes('token_revoked')) return 'revoked'
  if (reasons.includes('token_expired')) return 'expired'
  if (reasons.includes('token_suspended') || reasons.includes('agent_suspended')) return 'suspended'
  return reasons.includes('token_not_yet_valid') ? 'not_yet_valid' : 'live'
}

function budgetView(budget: Budget) {
  return {
    allocated_usd: toUsd(budget.allocated_micro_usd),
    spent_usd: toUsd(budget.spent_micro_usd),
    reserved_usd: toUsd(budget.reserved_micro_usd),
    remaining_usd: toUsd(budget.remaining_micro_usd),
  }
}
