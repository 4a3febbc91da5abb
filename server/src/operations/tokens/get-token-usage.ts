import { covers } from '@deputize/protocol'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'

/** A granted pattern is used if it covers a resource that was used. The suggestion names only those resources. */
export const getTokenUsage: Handler<'getTokenUsage'> = async ({ params }, context) => {
  const [{ token }] = await loadChain(params.jti, context)
  const { actions, resources, records_seen } = await context.reader.usage(params.jti)
  const granted = token.scope
  return {
    jti: token.jti,
    granted,
    used: { resources: [...resources], actions: [...actions] },
    unused: {
      resources: granted.resources.filter((held) => !resources.some((one) => covers(held, one))),
      actions: granted.actions.filter((one) => !actions.includes(one)),
    },
    suggested_scope: {
      resources: resources.filter((one) => granted.resources.some((held) => covers(held, one))),
      actions: granted.actions.filter((one) => actions.includes(one)),
    },
    records_seen,
  }
}
