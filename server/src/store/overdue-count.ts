/** How many pending records are past their time, at most so many. For both stores: the time, then the limit. */
export const OVERDUE_COUNT =
  'SELECT count(*) AS overdue FROM (SELECT 1 FROM records WHERE state = 0 AND expires_at_ms <= ? LIMIT ?) AS found'
