/** The columns that are read of each token of a chain. */
const LINK = `link.parent_key, marked.revoked_at_ms IS NOT NULL OR link.log_index < holder.revoked_below
  OR link.log_index < person.revoked_below AS is_revoked`
const MARKS = `JOIN agents holder ON holder.agent_key = link.agent_key
  JOIN humans person ON person.human_key = link.human_key
  LEFT JOIN token_states marked ON marked.token_key = link.token_key`

/**
 * Returns an SQL condition: whether the token with this key, or one above it, was revoked, itself or with all tokens of
 * its agent or its person. Equivalent to `isRevoked` for any link of the chain.
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

/** Returns an SQL value: the branch in which the token with this key asks. Equivalent to `branchOf` for its chain. */
export function branchOfToken(token_key: string): string {
  return `(
    WITH RECURSIVE up(jti, parent_key, agent_key, height) AS (
      SELECT jti, parent_key, agent_key, 0 FROM tokens WHERE token_key = ${token_key}
      UNION ALL
      SELECT link.jti, link.parent_key, link.agent_key, up.height + 1
      FROM up JOIN tokens link ON link.token_key = up.parent_key
    )
    SELECT up.jti FROM up JOIN up AS root ON root.parent_key IS NULL
    ORDER BY up.agent_key = root.agent_key, up.height DESC LIMIT 1
  )`
}

/**
 * Counts the approvals that a condition selects and that are still open at an instant, except those of revoked tokens;
 * with `branch_jti`, only those of one branch. Each token is checked once, however many approvals it asks for.
 */
export function countOfOpenApprovals(condition: string, now_ms: string, branch_jti?: string): string {
  const isOfBranch =
    branch_jti === undefined ? '' : `AND ${branchOfToken('asking.token_key')} = ${branch_jti}`
  return `
    SELECT CAST(coalesce(sum(asked), 0) AS bigint) AS open FROM (
      SELECT token_key, count(*) AS asked FROM approvals
      WHERE ${condition} AND state = 0 AND expires_at_ms > ${now_ms} GROUP BY token_key
    ) AS asking WHERE NOT ${isOfRevokedChain('asking.token_key')} ${isOfBranch}`
}

/**
 * The most parents whose chains a count of live tokens reads. A stop waits for the count, and must not take long or
 * fail because an agent has many tokens.
 */
const MOST_PARENTS = 5_000

/**
 * Counts the tokens that a condition on `link` selects, unless they have expired at an instant or are of a revoked
 * chain. Reads the chain above each parent once, however many of the tokens it has. If the tokens have more than
 * `MOST_PARENTS` parents, it reads the chains of the newest ones, and counts tokens below others as if those were live.
 */
export function countOfLiveTokens(condition: string, now_ms: string): string {
  return `
    WITH live AS MATERIALIZED (
      SELECT parent_key FROM (
        SELECT ${LINK} FROM tokens link ${MARKS} WHERE ${condition} AND link.expires_at_ms > ${now_ms}
      ) AS own WHERE NOT is_revoked
    )
    SELECT CAST(
      (SELECT count(*) FROM live) - (
        SELECT coalesce(sum(tokens), 0) FROM (
          SELECT parent_key, count(*) AS tokens FROM live WHERE parent_key IS NOT NULL GROUP BY parent_key
          ORDER BY parent_key DESC LIMIT ${MOST_PARENTS}
        ) AS above WHERE ${isOfRevokedChain('above.parent_key')}
      ) AS bigint
    ) AS live`
}
