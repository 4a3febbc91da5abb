import { loggedAgent } from '@deputize/protocol'
import { scoreOf, TrustLedger } from '@deputize/protocol/trust'
import type { StoreTables } from '../store/port/store-tables.ts'
import type { Findings } from './findings.ts'
import { readLeaf } from './log.ts'
import type { ReplayState, ScoreClaim } from './replay/expected.ts'

interface ScoreCheck {
  readonly tables: StoreTables
  readonly findings: Findings
  readonly replay: ReplayState
}

/**
 * Recomputes every score that a decision is based on or that is stored, from the log of the stated size. Reads the log
 * once more, and only if there is a score to check.
 */
export async function checkScores({ tables, findings, replay }: ScoreCheck): Promise<void> {
  const claims = [...replay.trust.score_claims.values()].sort((a, b) => b.log_size - a.log_size)
  const ledger = new TrustLedger()
  checkReached(claims, ledger, findings)
  if (claims.length === 0) return
  for await (const row of tables.rows('SELECT leaf FROM leaves ORDER BY log_index')) {
    const leaf = readLeaf(String(row.leaf))
    if (leaf === undefined) return // a fault that was already reported: no later score can be computed
    ledger.apply(leaf)
    checkReached(claims, ledger, findings)
    if (claims.length === 0) return
  }
  for (const { table, key, log_size } of claims)
    findings.add(
      table,
      key,
      `${place(table, key)} a score of a log of ${log_size} entries, which is longer than this one.`,
    )
}

/** Compares the claims about the current log size, and removes them from the end of the list. */
function checkReached(claims: ScoreClaim[], { graph, size }: TrustLedger, findings: Findings): void {
  for (let claim = claims.at(-1); claim?.log_size === size; claim = claims.at(-1)) {
    claims.pop()
    const { agent_id, score, table, key } = claim
    const found = scoreOf(graph, loggedAgent(agent_id)).score
    if (found !== score)
      findings.add(
        table,
        key,
        `${place(table, key)} the score ${score}, but the log of ${size} entries gives ${found}.`,
      )
  }
}

function place(table: ScoreClaim['table'], key: ScoreClaim['key']): string {
  return table === 'leaves' ? `Leaf ${key} states` : `Row ${key} of vouch_scores holds`
}
