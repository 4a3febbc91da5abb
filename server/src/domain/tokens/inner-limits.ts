import { canonicalJson, toMicroUsd } from '@deputize/protocol'

/**
 * Limits of an L3 token that can't be read from it: what the organization reviews before it happens. Every L3 token has
 * them, sealed and of equal length, so their presence reveals nothing. A token whose person gave a sign of coercion and
 * a token that was picked as a sample have the same limits, so the token alone doesn't reveal which one it is.
 */
export interface InnerLimits {
  /** Whether every action that spends, or does more than read, is held for review. */
  readonly holds: boolean
  /** Actions that spend more than this are held for review. */
  readonly above_micro_usd: number | undefined
}

/** What a tenant reviews, whether or not anything is wrong. */
export interface ReviewSettings {
  /** The share of L3 tokens that are picked as a sample, in percent. */
  readonly sample_pct?: number
  /** Actions of L3 tokens that spend more than this. */
  readonly above_usd?: number
}

/** For a token that must have limits but has lost them: a damaged store must not lift them. */
export const HOLDS_EVERYTHING: InnerLimits = { holds: true, above_micro_usd: undefined }

/** For a delegated token: the limits of the tokens above it apply to it too. */
export const HOLDS_NOTHING: InnerLimits = { holds: false, above_micro_usd: undefined }

/** Returns the limits of a new root token. `chance` is a random number, at least 0 and less than 1. */
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

/** Whether the request is held for review. */
export function isHeld(
  { holds, above_micro_usd = Number.POSITIVE_INFINITY }: InnerLimits,
  { action, spend_micro_usd }: { readonly action: string; readonly spend_micro_usd: number },
): boolean {
  if (spend_micro_usd > above_micro_usd) return true
  return holds && (spend_micro_usd > 0 || !READING_VERBS.has(action))
}

/** The length of every sealed text. The longest limits fit with room to spare. */
const TEXT_LENGTH = 192

/**
 * Returns the text of the limits to seal, padded to a fixed length. The log holds a keyed digest of the text, and the
 * salt keeps two tokens with the same limits from having the same digest.
 */
export function innerLimitsText({ holds, above_micro_usd }: InnerLimits, salt: string): string {
  const members = { holds, salt, ...(above_micro_usd !== undefined && { above_micro_usd }) }
  const text = canonicalJson(members)
  if (text.length > TEXT_LENGTH) throw new RangeError('inner limits do not fit')
  return text.padEnd(TEXT_LENGTH)
}

/** Reads the output of `innerLimitsText`. */
export function readInnerLimits(text: string): InnerLimits {
  const { holds, above_micro_usd }: { holds?: unknown; above_micro_usd?: unknown } = JSON.parse(text)
  return {
    holds: holds !== false,
    above_micro_usd: typeof above_micro_usd === 'number' ? above_micro_usd : undefined,
  }
}
