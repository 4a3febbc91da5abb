import { livenessReasons } from '../domain/decision.ts'
import type { ReadStore } from '../store/port.ts'

/** How long an answer is cached, and so how long a token that was just revoked still counts as in force. */
const REMEMBERED_MS = 1_000
const MOST_REMEMBERED = 10_000

/** Whether tokens are in force, for quotas. Decisions about actions never use this cache. */
export interface TokensInForce {
  has(jti: string): Promise<boolean>
}

export function openTokensInForce(reader: Pick<ReadStore, 'standing'>, clock: () => number): TokensInForce {
  const remembered = new Map<string, { readonly until_ms: number; readonly is_live: boolean }>()
  return {
    async has(jti) {
      const known = remembered.get(jti)
      if (known !== undefined && clock() < known.until_ms) return known.is_live
      const chain = await reader.standing.chain(jti)
      const is_live = chain !== undefined && livenessReasons(chain, clock()).length === 0
      if (remembered.size >= MOST_REMEMBERED) remembered.clear()
      remembered.set(jti, { until_ms: clock() + REMEMBERED_MS, is_live })
      return is_live
    },
  }
}
