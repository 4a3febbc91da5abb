import { canonicalJson, toMicroUsd } from '@deputize/protocol'

/**
 * Limits of an L3 token that nobody can read from it: what the organization reviews before it happens. Every L3 token has
 * them, sealed and of one length, so that their presence tells nothing. A token whose person gave a sign of coercion and a
 * token that was picked as a sample hold the same limits: from the token alone, nobody can tell one from the other.
 */
export interface InnerLimits {
  /** Whether everything that spends, or that is more than a plain read, is held for review. */
  readonly holds: boolean
  /** Actions that spend more than this are held for review. */
  readonly above_micro_usd: number | undefined
}

/** What a tenant has reviewed, whether or not anything is wrong. */
export interface ReviewSettings {
  /** The share of L3 tokens that are picked as a sample, in percent. */
  readonly sample_pct?: number
  /** Actions of L3 tokens that spend more than this. */
  readonly above_usd?: number
}

/** For a token whose limits are missing although it must have some: a damaged store must not set anyone free. */
export const HOLDS_EVERYTHING: InnerLimits = { holds: true, above_micro_usd: undefined }

/** For a token below another one: the limits of the tokens above it apply to it too. */
export const HOLDS_NOTHING: InnerLimits = { holds: false, above_micro_usd: undefined }

/** The limits of a new root token. `chance` is a random number from 0 up to 1. */
export function innerLimitsFor(
  { sample_pct = 0, above_usd }: ReviewSettings,
  is_under_duress: boolean,
  chance: number,
): InnerLimits {
  const is_sample = chance * 100 < sample_pct
  return {
    holds: is_under_duress || is_sample,
    above_micro_usd: above_usd === undefined ? undefined : toMicroUsd(above_usd),
  }
}

/** Verbs that change nothing. Every other verb counts as one that can't be undone. */
const READING_VERBS: ReadonlySet<string> = new Set([
  'read',
  'list',
  'get',
  'view',
  'search',
  'find',
  'count',
  'describe',
])

/** Whether the request waits for a review. */
export function isHeld(
  { holds, above_micro_usd = Number.POSITIVE_INFINITY }: InnerLimits,
  { action, spend_micro_usd }: { readonly action: string; readonly spend_micro_usd: number },
): boolean {
  if (spend_micro_usd > above_micro_usd) return true
  return holds && (spend_micro_usd > 0 || !READING_VERBS.has(action))
}

/** The length of every text: the longest limits fit with room to spare. */
const TEXT_LENGTH = 192

/**
 * The limits as they are sealed: one length for all. The log holds a keyed digest of the text, and the salt keeps two
 * tokens with the same limits from having the same digest.
 */
export function innerLimitsText({ holds, above_micro_usd }: InnerLimits, salt: string): string {
  const members = { holds, salt, ...(above_micro_usd !== undefined && { above_micro_usd }) }
  const text = canonicalJson(members)
  if (text.length > TEXT_LENGTH) throw new RangeError('inner limits do not fit')
  return text.padEnd(TEXT_LENGTH)
}

/** Reads a text of `innerLimitsText`. */
export function readInnerLimits(text: string): InnerLimits {
  const { holds, above_micro_usd }: { holds?: unknown; above_micro_usd?: unknown } = JSON.parse(text)
  return {
    holds: holds !== false,
    above_micro_usd: typeof above_micro_usd === 'number' ? above_micro_usd : undefined,
  }
}
