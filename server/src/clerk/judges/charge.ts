import { loggedAgent, tokenRef } from '@deputize/protocol'
import { charging } from '../../domain/budget.ts'
import type { Chain } from '../../domain/token.ts'
import type { Ledger } from '../batch-state.ts'

/** Charges every budget of the chain, and has the log tell of those that are half used, nearly used or used up. */
export function charge(chain: Chain, ledger: Ledger, spend: () => void): void {
  for (const { link, percent } of charging(chain, spend)) {
    const { jti, provenance_ref, agent_id } = link.token
    ledger.log('budget.threshold', {
      token: tokenRef(jti),
      provenance_ref,
      agent_id: loggedAgent(agent_id),
      percent,
    })
  }
}
