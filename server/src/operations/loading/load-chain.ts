import { AuthorityError } from '@deputize/protocol'
import type { Chain, Token } from '../../domain/tokens/token.ts'
import type { OperationContext } from '../operation-context.ts'

/** A token with its ancestors, or `token_unknown`. */
export async function loadChain(jti: string, { reader }: OperationContext): Promise<Chain> {
  return known(await reader.chain(jti))
}

/** As `loadChain`, for those who need to know whether it is in force, but not what was used of it. */
export async function loadStanding(jti: string, { reader }: OperationContext): Promise<Chain> {
  return known(await reader.standing.chain(jti))
}

/** A token alone, for those who need only what never changes. */
export async function loadToken(jti: string, { reader }: OperationContext): Promise<Token> {
  return known(await reader.standing.token(jti))
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new AuthorityError('token_unknown')
  return found
}
