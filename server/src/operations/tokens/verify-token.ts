import { shownAgent } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { type Chain, viewsOf } from '../../domain/tokens/token.ts'
import type { Handler } from '../operation-context.ts'
import { tokenStatus } from '../views/token-view.ts'
import { tokenVerdict } from './token-verdict.ts'

export const verifyToken: Handler<'verifyToken'> = async ({ body }, context) => {
  const { reason, chain } = await tokenVerdict(body.compact_jwt, body.audience, context)
  return {
    valid: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(chain !== undefined && { claims: chain[0].token.claims }),
    chain: chain === undefined ? [] : chainLinks(chain, context.clock()),
  }
}

function chainLinks(chain: Chain, now_ms: number) {
  return viewsOf(chain).map((view) => {
    const { jti, agent_id, delegation_depth, limits } = view[0].token
    return {
      jti,
      agent_id: shownAgent(agent_id),
      delegation_depth,
      status: tokenStatus(view, now_ms),
      expires_at: isoInstant(limits.expires_at_ms),
    }
  })
}
