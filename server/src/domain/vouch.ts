/** A person's word for a person or an agent. */
export interface StoredVouch {
  readonly vouch_id: string
  readonly tenant_id: string
  /** The person who vouches. */
  readonly from: string
  /** A `human_ref`, or an agent as the log names it. */
  readonly to: string
  readonly context: string | undefined
  /** Undefined also when it was erased, and in the clerk, which never opens it. */
  readonly note: string | undefined
  readonly erased: boolean
  readonly made_at_ms: number
  readonly log_index: number
  /** In millionths. */
  weight: number
  expires_at_ms: number | undefined
  /** The leaf of the newest change of weight or expiry. */
  changed_index: number | undefined
  ended_at_ms: number | undefined
  /** The leaf that ended it: a withdrawal, an erasure, or the vouch that replaces it after it expired. */
  ended_index: number | undefined
}

/** A person whom an operator named as an anchor. */
export interface StoredAnchor {
  readonly human_ref: string
  readonly tenant_id: string
  /** In millionths. */
  readonly base: number
  /** Undefined also when it was erased, and in the clerk, which never opens it. */
  readonly reason: string | undefined
  readonly named_at_ms: number
  readonly log_index: number
  readonly removed_index: number | undefined
}

/** The score of an agent as it was computed last, in millionths, and the size of the log that it follows from. */
export interface KeptScore {
  readonly score: number
  readonly log_size: number
}

/** An agent whose score a token asks for. */
export interface AskedScore {
  readonly agent_id: string
  /** The leaf of the first token that asked. */
  readonly asked_index: number
  /** Undefined until it was computed for the first time. */
  readonly kept: KeptScore | undefined
}

/** How many standing vouches a person may have. */
export const MOST_VOUCHES = 1_000

/** Whether a vouch counts at an instant of the log. */
export function isStanding(
  { ended_index, expires_at_ms }: Pick<StoredVouch, 'ended_index' | 'expires_at_ms'>,
  now_ms: number,
): boolean {
  return ended_index === undefined && (expires_at_ms === undefined || now_ms < expires_at_ms)
}

/** One text for what a person may vouch for only once. No ref and no context contains a line break. */
export function vouchName({ from, to, context }: Pick<StoredVouch, 'from' | 'to' | 'context'>): string {
  return `${from}\n${to}\n${context ?? ''}`
}
