/** Previews what a stop would affect. */
import type { PreviewRevocationAnswer, TokenView } from '../../../sdk/node/src/generated/operations.ts'

export interface StopRadius {
  readonly live_tokens: number
  readonly agents: readonly string[]
  readonly pending_records: number
  readonly reserved_usd: number
}

/** The tokens of a list that have no ancestor in the list. `ancestors` has the chain of each. */
export function topmostHeld(
  tokens: readonly TokenView[],
  ancestors: ReadonlyMap<string, readonly string[]>,
): TokenView[] {
  const held = new Set(tokens.map(({ jti }) => jti))
  return tokens.filter(({ jti }) => !(ancestors.get(jti) ?? []).some((above) => held.has(above)))
}

/** Previews of separate branches, added up. */
export function combined(previews: readonly PreviewRevocationAnswer[]): StopRadius {
  const sum = (of: (one: PreviewRevocationAnswer) => number) =>
    previews.reduce((before, one) => before + of(one), 0)
  return {
    live_tokens: sum(({ live_tokens }) => live_tokens),
    agents: [...new Set(previews.flatMap(({ agents }) => agents))].sort(),
    pending_records: sum(({ pending_records }) => pending_records),
    reserved_usd: sum(({ reserved_usd }) => reserved_usd),
  }
}
