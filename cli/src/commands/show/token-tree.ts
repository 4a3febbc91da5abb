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
  const [requested, ...above] = chain
  if (requested === undefined) return ''
  const here = tokenBranch(
    requested,
    [...childrenIn(descendants, requested.jti, screen)],
    screen,
    screen.glyphs.mark,
  )
  const root = above.reduce((below, token) => tokenBranch(token, [below], screen), here)
  return tree(personBranch(requested, [root]), screen)
}

function childrenIn(tokens: readonly TokenEntry[], parent: string, screen: Screen): Branch[] {
  return tokens
    .filter(({ parent_jti }) => parent_jti === parent)
    .map((token) => tokenBranch(token, childrenIn(tokens, token.jti, screen), screen))
}

export function personBranch(
  { human_ref, assurance_level }: Pick<TokenEntry, 'human_ref' | 'assurance_level'>,
  below: readonly Branch[],
): Branch {
  return { lines: [`person ${shortRef(human_ref)} (${assurance_level})`], style: 'bold', below }
}

function tokenBranch(token: TokenEntry, below: readonly Branch[], { glyphs }: Screen, mark = ''): Branch {
  const { svc_scope, svc_trust_score } = token.claims
  const used = [count(token.total_actions, 'action'), ...budgetTexts(token)].join(glyphs.dot)
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

function budgetTexts({ budget }: TokenEntry): string[] {
  if (budget === undefined) return []
  const { spent_usd, reserved_usd, allocated_usd } = budget
  const reserved = reserved_usd > 0 ? ` (${dollars(reserved_usd)} reserved)` : ''
  return [`${dollars(spent_usd)} of ${dollars(allocated_usd)}${reserved}`]
}

/** Red for revoked and suspended tokens, dim for expired ones. */
export function styleOf(status: TokenEntry['status']): { readonly style?: Style } {
  if (status === 'live') return {}
  return { style: status === 'revoked' || status === 'suspended' ? 'red' : 'dim' }
}
