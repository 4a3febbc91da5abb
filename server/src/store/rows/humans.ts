import { tenantOf } from '@deputize/protocol'
import type { HumanFacts, PersonFacts } from '../port.ts'
import { integer, isTrue, levelOf, optionalInteger, type Row, text } from '../values.ts'

/** Reads a row of `humans` with the counts of the person's newest tokens. */
export function humanOf(row: Row): HumanFacts {
  return {
    human_ref: text(row.human_ref),
    assurance_levels: levelsOf(row.levels),
    tokens: integer(row.tokens),
    live_tokens: optionalInteger(row.live_tokens) ?? 0,
    workflows: integer(row.workflows),
    first_seen_ms: optionalInteger(row.first_seen_ms),
    erased_at_ms: optionalInteger(row.erased_at_ms),
    refused_at_ms: optionalInteger(row.refused_at_ms),
  }
}

/** Reads such a row for a list, with the number of waiting approvals. */
export function listedPersonOf(row: Row): PersonFacts {
  const { human_ref, tokens, live_tokens, assurance_levels, first_seen_ms, erased_at_ms, refused_at_ms } =
    humanOf(row)
  const waiting = integer(row.waiting)
  return {
    human_ref,
    tokens,
    live_tokens,
    assurance_levels,
    first_seen_ms,
    erased_at_ms,
    refused_at_ms,
    waiting,
  }
}

/** Selects the agent of the first token issued in a person's name. Its parameter is their ref. */
export const FIRST_AGENT = `
  SELECT a.agent_id FROM tokens t JOIN agents a ON a.agent_key = t.agent_key
  WHERE t.human_key = (SELECT human_key FROM humans WHERE human_ref = ?) ORDER BY t.token_key LIMIT 1`

/** Returns the tenant in an agent's name. */
export function tenantOfRow(row: Row | undefined): string | undefined {
  return row && tenantOf(text(row.agent_id))
}

/** Whether a person belongs to the requested tenant. */
export function isTheirs({ is_theirs }: Row): boolean {
  return isTrue(is_theirs)
}

function levelsOf(keys: unknown): HumanFacts['assurance_levels'] {
  if (typeof keys !== 'string') return []
  return keys
    .split(',')
    .map((key) => levelOf(Number(key)))
    .sort()
}
