import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { tokenView } from '../views/token-view.ts'

export const getToken: Handler<'getToken'> = async ({ params: { jti } }, context) => {
  const chain = await loadChain(jti, context)
  const words = await context.reader.words([jti])
  return tokenView(chain, words.get(jti), context.clock())
}
