/**
 * Returns the unexpired stored answers under some keys, to select from. Both arguments are placeholders, such as `$1`.
 */
export function keptReplays(keys: string, now_ms: string): string {
  return `replays WHERE replay_key = ANY(${keys}) AND expires_at_ms > ${now_ms}`
}
