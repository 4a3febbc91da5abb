import { pageRequest } from '../lists/pages.ts'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { tokenPageAnswer } from '../views/token-view.ts'

export const listDescendants: Handler<'listDescendants'> = async ({ params, query }, context) => {
  await loadChain(params.jti, context)
  return tokenPageAnswer(await context.reader.descendants(params.jti, pageRequest(query)), context)
}
