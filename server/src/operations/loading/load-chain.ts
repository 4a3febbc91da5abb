import { AuthorityError } from '@deputize/protocol'
import type { Chain, Token } from '../../domain/tokens/token.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns a token with its ancestors, or throws `token_unknown`. */
export async function loadChain(jti: string, { reader }: OperationContext): Promise<Chain> {
  return known(await reader.chain(jti))
}

/** Like `loadChain`, for callers that need to know whether the token is in force, but not how much of it was used. */
export async function loadStanding(jti: string, { reader }: OperationContext): Promise<Chain> {
  return known(await reader.standing.chain(jti))
}

/** Returns a token alone, for callers that need only what never changes. */
export async function loadToken(jti: string, { reader }: OperationContext): Promise<Token> {
  return known(await reader.standing.token(jti))
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new AuthorityError('token_unknown')
  return found
}
