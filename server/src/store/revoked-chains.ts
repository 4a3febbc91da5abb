/** What is read of each token of a chain. */
const LINK = `link.parent_key, marked.revoked_at_ms IS NOT NULL OR link.log_index < holder.revoked_below
  OR link.log_index < person.revoked_below AS is_revoked`
const MARKS = `JOIN agents holder ON holder.agent_key = link.agent_key
  JOIN humans person ON person.human_key = link.human_key
  LEFT JOIN token_states marked ON marked.token_key = link.token_key`

/**
 * A condition in SQL: whether the token with this key, or one above it, was revoked, itself or with all tokens of its agent
 * or its person. The same as `isRevoked` says of any link of the chain.
 */
export function isOfRevokedChain(token_key: string): string {
  return `EXISTS (
    WITH RECURSIVE up(parent_key, is_revoked) AS (
      SELECT ${LINK} FROM tokens link ${MARKS} WHERE link.token_key = ${token_key}
      UNION ALL
      SELECT ${LINK} FROM up JOIN tokens link ON link.token_key = up.parent_key ${MARKS} WHERE NOT up.is_revoked
    )
    SELECT 1 FROM up WHERE is_revoked
  )`
}

/**
 * Counts approvals that a condition selects and that still wait at an instant, without those of revoked tokens. Tokens are
 * looked at once, however much they ask.
 */
export function countOfOpenApprovals(condition: string, now_ms: string): string {
  return `
    SELECT CAST(coalesce(sum(asked), 0) AS bigint) AS open FROM (
      SELECT token_key, count(*) AS asked FROM approvals
      WHERE ${condition} AND state = 0 AND expires_at_ms > ${now_ms} GROUP BY token_key
    ) AS asking WHERE NOT ${isOfRevokedChain('asking.token_key')}`
}
