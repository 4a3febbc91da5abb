import type { ResponseOf } from '../../client/call-command.ts'
import type { Screen, Style } from '../../terminal/screen.ts'
import { type Branch, tree } from '../../terminal/tree.ts'
import { agentName, count, dollars, shortRef } from '../../terminal/words.ts'

export type TokenEntry = ResponseOf<'getToken'>

export interface Tokens {
  /** The requested token, then each ancestor up to the root. */
  readonly chain: readonly TokenEntry[]
  /** In tree order. */
  readonly descendants: readonly TokenEntry[]
}

/** The chain from the person down to the token, and every token below it. */
export function drawTokens({ chain, descendants }: Tokens, screen: Screen): string {
  const [requested, ...above] = chain.map((token, at) => ({ ...token, ...tightestOf(chain.slice(at)) }))
  if (requested === undefined) return ''
  const agents = new Map([...chain, ...descendants].map(({ jti, agent_id }) => [jti, agentName(agent_id)]))
  const branchOf = (token: TokenEntry, below: readonly Branch[], mark = '') =>
    tokenBranch(token, budgetTexts(token, agents), below, screen, mark)
  const childrenOf = (parent: string): Branch[] =>
    descendants
      .filter(({ parent_jti }) => parent_jti === parent)
      .map((token) => branchOf(token, childrenOf(token.jti)))
  const here = branchOf(requested, childrenOf(requested.jti), screen.glyphs.mark)
  const root = above.reduce((below, token) => branchOf(token, [below]), here)
  return tree(personBranch(requested, [root]), screen)
}

/** The budget with the least left among a token and its ancestors, in the form that lists of tokens use. */
function tightestOf(chain: readonly TokenEntry[]): Pick<TokenEntry, 'tightest'> {
  const [tightest] = chain
    .flatMap(({ jti, budget }) => (budget === undefined ? [] : [{ jti, ...budget }]))
    .toSorted((one, other) => one.remaining_usd - other.remaining_usd)
  return tightest === undefined ? {} : { tightest }
}

export function personBranch(
  { human_ref, assurance_level }: Pick<TokenEntry, 'human_ref' | 'assurance_level'>,
  below: readonly Branch[],
): Branch {
  return { lines: [`person ${shortRef(human_ref)} (${assurance_level})`], style: 'bold', below }
}

function tokenBranch(
  token: TokenEntry,
  budget: readonly string[],
  below: readonly Branch[],
  { glyphs }: Screen,
  mark: string,
): Branch {
  const { svc_scope, svc_trust_score } = token.claims
  const used = [count(token.total_actions, 'action'), ...budget].join(glyphs.dot)
  return {
    lines: [
      `${mark}${agentName(token.agent_id)}  ${token.status}${glyphs.dot}trust ${svc_trust_score.toFixed(2)}`,
      token.jti,
      scopeText(svc_scope),
      used,
    ],
    ...styleOf(token.status),
    below,
  }
}

export function scopeText({ actions, resources }: TokenEntry['claims']['svc_scope']): string {
  return `${actions.join(', ')} on ${resources.join(', ')}`
}

/** The token's own account and, while it is live, what it can still spend, which an ancestor may limit. */
function budgetTexts(token: TokenEntry, agents: ReadonlyMap<string, string>): string[] {
  const { jti, status, budget, tightest } = token
  if (status !== 'live' || tightest === undefined) return accountTexts(budget)
  return [...accountTexts(budget), leftText(jti, tightest, agents)]
}

function accountTexts(budget: TokenEntry['budget']): string[] {
  if (budget === undefined) return []
  const { spent_usd, reserved_usd, allocated_usd } = budget
  const reserved = reserved_usd > 0 ? ` (${dollars(reserved_usd)} reserved)` : ''
  return [`${dollars(spent_usd)} of ${dollars(allocated_usd)}${reserved}`]
}

function leftText(
  jti: string,
  tightest: NonNullable<TokenEntry['tightest']>,
  agents: ReadonlyMap<string, string>,
): string {
  const left = `${dollars(Math.max(0, tightest.remaining_usd))} left`
  return tightest.jti === jti ? left : `${left}, limited by ${agents.get(tightest.jti) ?? 'an ancestor'}`
}

/** Red for revoked and suspended tokens, dim for expired ones. */
export function styleOf(status: TokenEntry['status']): { readonly style?: Style } {
  if (status === 'live') return {}
  return { style: status === 'revoked' || status === 'suspended' ? 'red' : 'dim' }
}
