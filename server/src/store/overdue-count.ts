/** Counts overdue pending records, up to a limit. Works in both stores. Parameters: the time, then the limit. */
export const OVERDUE_COUNT =
  'SELECT count(*) AS overdue FROM (SELECT 1 FROM records WHERE state = 0 AND expires_at_ms <= ? LIMIT ?) AS found'
