/** A person's vouch for a person or an agent. */
export interface StoredVouch {
  readonly vouch_id: string
  readonly tenant_id: string
  /** The person who vouches. */
  readonly from: string
  /** A `human_ref`, or an agent as named in the log. */
  readonly to: string
  readonly context: string | undefined
  /** Also undefined if it was erased, and in the clerk, which never opens it. */
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
  /** Also undefined if it was erased, and in the clerk, which never opens it. */
  readonly reason: string | undefined
  readonly named_at_ms: number
  readonly log_index: number
  readonly removed_index: number | undefined
}

/** The last computed score of an agent, in millionths, and the log size that it follows from. */
export interface KeptScore {
  readonly score: number
  readonly log_size: number
}

/** An agent whose score a token requires. */
export interface AskedScore {
  readonly agent_id: string
  /** The leaf of the first token that required it. */
  readonly asked_index: number
  /** Undefined until it is first computed. */
  readonly kept: KeptScore | undefined
}

/** How many standing vouches a person may have. */
export const MOST_VOUCHES = 1_000

/** Whether a vouch counts at an instant. */
export function isStanding(
  { ended_index, expires_at_ms }: Pick<StoredVouch, 'ended_index' | 'expires_at_ms'>,
  now_ms: number,
): boolean {
  return ended_index === undefined && (expires_at_ms === undefined || now_ms < expires_at_ms)
}

/** Returns a key for what a person may vouch for only once. No ref and no context contains a line break. */
export function vouchName({ from, to, context }: Pick<StoredVouch, 'from' | 'to' | 'context'>): string {
  return `${from}\n${to}\n${context ?? ''}`
}
