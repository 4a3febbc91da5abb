/** Metrics that count calls, refusals and entries. Times, and how commands share a commit, differ between two runs. */
const COUNTED =
  /^deputy_(http_request_duration_seconds_count|batch_commands_sum|[a-z_]*_total|log_entries|open_approvals)\b/

/**
 * The metrics of a service that two runs must have in common: every name, and the values of counts. Process metrics are
 * left out, because they depend on what ran in the process before.
 */
export function shapeOfMetrics(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/nodejs|process/.test(line))
    .map((line) => (COUNTED.test(line) ? line : (line.split(' ')[0] ?? '')))
}
