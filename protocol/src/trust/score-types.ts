/**
 * A score with its explanation. Every number is a whole number of millionths: of a full word (1,000,000 is one perfect
 * verified person's whole word) for flows and capacities, of 1 for scores. Subjects are named as the log names them:
 * people by `human_ref`, agents as `agent:<scoped name>` (see `loggedAgent`).
 */
export interface VouchScore {
  readonly subject: string
  /** floor(flow x 10^6 / (flow + 10^6)): between 0 and 999,999. */
  readonly score: number
  /** How much of the anchors' word reaches the subject. */
  readonly flow: number
  /** How many anchors and how many vouches were considered. */
  readonly anchors: number
  readonly vouches: number
  /** Whether there were more vouches than the limit allows. The flow is then a lower bound. */
  readonly truncated: boolean
  /** How the flow reaches the subject, largest first. Their flows add up to `flow`. */
  readonly paths: readonly VouchPath[]
  /** What limits the flow: every path passes one of these. Their capacities add up to `flow`. */
  readonly cut: readonly CutPart[]
}

export interface VouchPath {
  readonly flow: number
  /** From an anchor to the subject: each step goes from a person to the person of the next, the last to the subject. */
  readonly steps: readonly VouchStep[]
}

export interface VouchStep {
  readonly vouch_id: string
  readonly from: string
  /** What this vouch can carry in all paths together. */
  readonly capacity: number
}

/**
 * A vouch that carries all it can, an anchor that gives its whole base, or a person who passes on all that they can.
 * `limit` tells an anchor's own word (`base`) from what a person can pass on (`person`).
 */
export type CutPart =
  | { readonly limit: 'vouch'; readonly vouch_id: string; readonly capacity: number }
  | { readonly limit: 'base' | 'person'; readonly human_ref: string; readonly capacity: number }

export interface ScoreOptions {
  /** Counts the vouches of this context and those without one. Without it, only those without one count. */
  readonly context?: string | undefined
  /** The `human_ref` of the only anchor, whose own word counts in full. */
  readonly as?: string | undefined
  /** The most vouches that are considered. By default 10,000, which is also the largest limit. */
  readonly limit?: number | undefined
}
