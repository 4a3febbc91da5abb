import { type Claims, OAuthError, type Scope, TEXT_FORMATS } from '@deputize/protocol'

const MAX_NAMES = 256

/** Returns every pair that a scope allows, in OAuth's space-separated form. */
export function oauthScope({ actions, resources }: Scope): string {
  return actions.flatMap((action) => resources.map((resource) => `${encoded(action)}@${resource}`)).join(' ')
}

/** Encodes an action. Spaces separate pairs and the first @ ends an action, so it has %20 and %40 for them, %25 for %. */
function encoded(action: string): string {
  return action.replaceAll('%', '%25').replaceAll(' ', '%20').replaceAll('@', '%40')
}

function decoded(text: string): string {
  return text.replaceAll('%40', '@').replaceAll('%20', ' ').replaceAll('%25', '%')
}

/** Returns OAuth's name for how a token is presented. */
export function tokenType({ cnf }: Pick<Claims, 'cnf'>): 'DPoP' | 'Bearer' {
  return cnf === undefined ? 'Bearer' : 'DPoP'
}

/** Reads a list of `action@resource` pairs. The action ends at the first @, because resource names often contain one. */
export function readOauthScope(text: string): { actions: string[]; resources: string[] } {
  const actions = new Set<string>()
  const resources = new Set<string>()
  for (const pair of text.split(' ').filter((part) => part !== '')) {
    const at = pair.indexOf('@')
    const [action, resource] = [decoded(pair.slice(0, Math.max(at, 0))), pair.slice(at + 1)]
    if (!TEXT_FORMATS.action.check(action) || !TEXT_FORMATS['resource-pattern'].check(resource))
      throw new OAuthError(
        'invalid_scope',
        `"${pair}" isn't an action@resource pair. Write the scope as pairs separated by spaces.`,
      )
    actions.add(action)
    resources.add(resource)
  }
  if (actions.size === 0)
    throw new OAuthError('invalid_scope', 'The scope is empty. Name a pair or omit scope.')
  if (actions.size > MAX_NAMES || resources.size > MAX_NAMES)
    throw new OAuthError(
      'invalid_scope',
      `A scope has at most ${MAX_NAMES} actions and ${MAX_NAMES} resources.`,
    )
  return { actions: [...actions], resources: [...resources] }
}
