import type { Answer } from '../../client/call-command.ts'
import type { Screen, Style } from '../../terminal/screen.ts'
import { type Branch, tree } from '../../terminal/tree.ts'
import { agentName, count, dollars, shortRef } from '../../terminal/words.ts'

export type Token = Answer<'getToken'>

export interface Tokens {
  /** The token that was asked for, then each one above it. */
  readonly chain: readonly Token[]
  /** In the order of the tree. */
  readonly descendants: readonly Token[]
}

/** The way from the human down to the token, and everything below it. */
export function drawTokens({ chain, descendants }: Tokens, screen: Screen): string {
  const [asked, ...above] = chain
  if (asked === undefined) return ''
  const here = tokenBranch(asked, [...childrenIn(descendants, asked.jti, screen)], screen, screen.glyphs.mark)
  const root = above.reduce((below, token) => tokenBranch(token, [below], screen), here)
  return tree(humanBranch(asked, [root]), screen)
}

function childrenIn(tokens: readonly Token[], parent: string, screen: Screen): Branch[] {
  return tokens
    .filter(({ parent_jti }) => parent_jti === parent)
    .map((token) => tokenBranch(token, childrenIn(tokens, token.jti, screen), screen))
}

export function humanBranch(
  { human_ref, assurance_level }: Pick<Token, 'human_ref' | 'assurance_level'>,
  below: readonly Branch[],
): Branch {
  return { lines: [`human ${shortRef(human_ref)} (${assurance_level})`], style: 'bold', below }
}

function tokenBranch(token: Token, below: readonly Branch[], { glyphs }: Screen, mark = ''): Branch {
  const { svc_scope, svc_trust_score } = token.claims
  const used = [count(token.total_actions, 'action'), ...budgetWords(token)].join(glyphs.dot)
  return {
    lines: [
      `${mark}${agentName(token.agent_id)}  ${token.status}${glyphs.dot}trust ${svc_trust_score.toFixed(2)}`,
      token.jti,
      scopeWords(svc_scope),
      used,
    ],
    ...styleOf(token.status),
    below,
  }
}

export function scopeWords({ actions, resources }: Token['claims']['svc_scope']): string {
  return `${actions.join(', ')} on ${resources.join(', ')}`
}

function budgetWords({ budget }: Token): string[] {
  if (budget === undefined) return []
  const { spent_usd, reserved_usd, allocated_usd } = budget
  const reserved = reserved_usd > 0 ? ` (${dollars(reserved_usd)} reserved)` : ''
  return [`${dollars(spent_usd)} of ${dollars(allocated_usd)}${reserved}`]
}

/** Red for what is revoked, dim for what is over, and what is in force as it is. */
export function styleOf(status: Token['status']): { readonly style?: Style } {
  if (status === 'live') return {}
  return { style: status === 'revoked' || status === 'suspended' ? 'red' : 'dim' }
}
