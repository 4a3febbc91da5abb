import type { ScoreOptions, VouchScore } from '@deputize/protocol/trust'

/** The log that a graph is computed from: its size and the time of its newest leaf. */
export interface LedgerState {
  readonly log_size: number
  /** Undefined for an empty log. */
  readonly log_time: string | undefined
}

/** What the main thread asks the scoring thread. Questions are answered in the order in which they arrive. */
export type ScoreQuestion =
  | {
      readonly kind: 'apply'
      /** The next leaves that change the trust graph, as text. */
      readonly leaves: readonly string[]
      /** The log that the graph is then computed from. */
      readonly state: LedgerState
    }
  | { readonly kind: 'score'; readonly subject: string; readonly options: ScoreOptions }
  | { readonly kind: 'scores'; readonly subjects: readonly string[]; readonly options: ScoreOptions }
  | {
      /** Some leaves of an earlier log. The thread keeps one earlier log in addition to the current one. */
      readonly kind: 'replay'
      /** Whether they are the first ones. Then the earlier log that was kept so far is forgotten. */
      readonly isFirst: boolean
      readonly leaves: readonly string[]
      /** The log that the graph is then computed from, or undefined if more of its leaves follow. */
      readonly state: LedgerState | undefined
    }
  | {
      /** The score in an earlier log, which must have been replayed. */
      readonly kind: 'past'
      readonly log_size: number
      readonly subject: string
      readonly options: ScoreOptions
    }
  | { readonly kind: 'around'; readonly subject: string; readonly depth: number }
  | {
      readonly kind: 'vouched_agents'
      readonly tenant_id: string
      readonly context: string | undefined
      readonly most: number
    }
  | { readonly kind: 'has_context'; readonly context: string }
  | { readonly kind: 'affected' }

/** The answer to each kind of question. */
export interface ScoreAnswers {
  readonly apply: null
  readonly score: VouchScore
  readonly scores: readonly SubjectScore[]
  readonly replay: null
  readonly past: VouchScore
  readonly around: Neighbourhood
  readonly vouched_agents: { readonly agents: readonly string[]; readonly truncated: boolean }
  /** Whether any vouch was ever made for a context. */
  readonly has_context: boolean
  /** The agents whose score may have changed since this was last asked. */
  readonly affected: readonly string[]
}

/** A score without its explanation. */
export type SubjectScore = Pick<VouchScore, 'subject' | 'score' | 'flow'>

/** Everyone within some steps of a subject, and the vouches between them. */
export interface Neighbourhood {
  readonly nodes: readonly TrustNode[]
  readonly edges: readonly TrustEdge[]
  readonly truncated: boolean
}

export interface TrustNode {
  readonly subject: string
  /** An anchor's own word, in millionths. */
  readonly base: number | undefined
  readonly steps: number
}

export interface TrustEdge {
  readonly vouch_id: string
  readonly from: string
  readonly to: string
  readonly weight: number
  readonly context?: string
}

export interface NumberedQuestion {
  readonly id: number
  readonly question: ScoreQuestion
}

export type NumberedAnswer =
  | { readonly id: number; readonly answer: ScoreAnswers[ScoreQuestion['kind']]; readonly state: LedgerState }
  | { readonly id: number; readonly failure: string }
