/** What counts calls, refusals and entries. Times differ between two runs, and so does how commands share a commit. */
const COUNTED =
  /^deputy_(http_request_duration_seconds_count|batch_commands_sum|[a-z_]*_total|log_entries|open_approvals)\b/

/**
 * The metrics of a service that two runs must have in common: every name, and the value of what is counted. Those of the
 * process are left out: they depend on what ran in it before.
 */
export function shapeOfMetrics(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/nodejs|process/.test(line))
    .map((line) => (COUNTED.test(line) ? line : (line.split(' ')[0] ?? '')))
}
