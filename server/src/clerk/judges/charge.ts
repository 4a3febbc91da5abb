import { loggedAgent, tokenRef } from '@deputize/protocol'
import { charging } from '../../domain/budget.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import type { BatchState } from '../batch-state.ts'

/** Charges every budget of the chain and logs each threshold (50, 80 or 100 %) that a budget reaches. */
export function charge(chain: Chain, batch: BatchState, spend: () => void): void {
  for (const { link, percent } of charging(chain, spend)) {
    const { jti, provenance_ref, agent_id } = link.token
    const names = { token: tokenRef(jti), provenance_ref, agent_id: loggedAgent(agent_id) }
    batch.appendLeaf('budget.threshold', { ...names, percent }, jti)
    batch.signal(agent_id, { budget_percent: percent })
  }
}
