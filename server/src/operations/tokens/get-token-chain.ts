import { viewsOf } from '../../domain/tokens/token.ts'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { tokenViews } from '../views/token-view.ts'

export const getTokenChain: Handler<'getTokenChain'> = async ({ params }, context) => {
  const chain = await loadChain(params.jti, context)
  return { data: await tokenViews(viewsOf(chain), context) }
}
