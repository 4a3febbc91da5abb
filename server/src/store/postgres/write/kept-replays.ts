/** The stored answers under some keys that still count, to select from. Both parameters are places of values, such as `$1`. */
export function keptReplays(keys: string, now_ms: string): string {
  return `replays WHERE replay_key = ANY(${keys}) AND expires_at_ms > ${now_ms}`
}
