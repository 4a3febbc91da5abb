import { TrustLedger } from '../../../../protocol/src/trust/ledger.ts'
import { scoreOf } from '../../../../protocol/src/trust/score.ts'

/** Which score to compute. */
export interface LogScoreOptions {
  /** Counts the vouches of this context and those without one. Without it, only those without one count. */
  readonly context?: string | undefined
  /** The `human_ref` of the only anchor. Its own word counts in full. */
  readonly as?: string | undefined
  /** The maximum number of vouches considered. Default: 10,000, which is also the largest limit allowed. */
  readonly limit?: number | undefined
}

/** How much of the anchors' word reaches a subject. All amounts are millionths. */
export interface LogScore {
  readonly subject: string
  /** floor(flow x 10^6 / (flow + 10^6)). */
  readonly score: number
  readonly flow: number
  /** How many anchors and how many vouches were considered. */
  readonly anchors: number
  readonly vouches: number
  /** Whether there were more vouches than the limit allows. The flow is then a lower bound. */
  readonly truncated: boolean
  /** How the flow reaches the subject, largest first. Their flows add up to `flow`. */
  readonly paths: readonly LogScorePath[]
  /** What limits the flow. Their capacities add up to `flow`. */
  readonly cut: readonly LogScoreLimit[]
}

/** A path from an anchor to the subject. Each step leads to the person of the next step. */
export interface LogScorePath {
  readonly flow: number
  readonly steps: readonly { readonly vouch_id: string; readonly from: string; readonly capacity: number }[]
}

/** A vouch that is full, an anchor's own word (`base`), or what a person can pass on (`person`). */
export type LogScoreLimit =
  | { readonly limit: 'vouch'; readonly vouch_id: string; readonly capacity: number }
  | { readonly limit: 'base' | 'person'; readonly human_ref: string; readonly capacity: number }

/** Scores of the trust graph at one size of the log. */
export interface LogScores {
  /** The number of log entries that they are computed from. */
  readonly log_size: number
  /**
   * Returns the score of a person (`human_ref`) or an agent (`agent:<name>`, or `agent:<tenant>:<name>` outside the
   * tenant `default`), with its paths and its cut. All amounts are millionths.
   */
  score(subject: string, options?: LogScoreOptions): LogScore
}

/**
 * Computes scores of the trust graph from log entries alone, in Node and in browsers, with the same integers as the
 * service. Pass every entry of the log, starting with the first, as verified by an audit.
 *
 * @example
 * ```ts
 * import { scoresFromLog } from '@deputize/sdk'
 *
 * const at = '2026-01-01T00:00:00.000Z'
 * const entries = [
 *   { v: 1, type: 'session.begun', at, tenant_id: 'default', human_ref: 'sha256:ada', assurance_level: 'L2' },
 *   {
 *     v: 1,
 *     type: 'vouch.made',
 *     at,
 *     tenant_id: 'default',
 *     vouch_id: 'vch_1',
 *     from: 'sha256:ada',
 *     to: { agent_id: 'agent:trip-bot' },
 *     weight: 500_000,
 *   },
 * ]
 * const { flow, score } = scoresFromLog(entries).score('agent:trip-bot')
 * console.log(flow, score) // 400000 285714
 * ```
 */
export function scoresFromLog(entries: Iterable<Readonly<Record<string, unknown>>>): LogScores {
  const ledger = new TrustLedger()
  // The ledger checks the members of an entry itself, so only the type is missing.
  for (const { type, at, ...members } of entries)
    ledger.apply({ ...members, v: 1, type: String(type), at: String(at) })
  return {
    log_size: ledger.size,
    score: (subject, options) => scoreOf(ledger.graph, subject, options),
  }
}
