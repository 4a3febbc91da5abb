import { AuthorityError } from '@deputize/protocol'
import type { Chain } from '../domain/token.ts'
import type { OperationContext } from './operation-context.ts'

/** A token with its ancestors, or `token_unknown`. */
export async function loadChain(jti: string, { reader }: OperationContext): Promise<Chain> {
  const chain = await reader.chain(jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  return chain
}
