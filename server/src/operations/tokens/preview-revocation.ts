import { shownAgent, toUsd } from '@deputize/protocol'
import { renewedChain, stoppedChains } from '../../domain/tokens/token.ts'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'

export const previewRevocation: Handler<'previewRevocation'> = async ({ body }, context) => {
  const { reader, clock } = context
  const chain = await loadChain(body.vat_jti, context)
  const [{ token, state }] = renewedChain(chain)
  const { live_tokens, agents, pending_records } = await reader.blastRadius(token.jti, clock())
  const already_revoked = stoppedChains(chain).every(([link]) => link.state.revoked_at_ms !== undefined)
  return {
    jti: body.vat_jti,
    already_revoked,
    live_tokens: already_revoked ? 0 : live_tokens,
    agents: agents.map(shownAgent),
    pending_records,
    reserved_usd: toUsd(state.reserved_micro_usd),
  }
}
