import type { CheckReport } from '@deputize/server/check'

/** Whether all data was compared and follows from the log. */
export function isSound({
  fault_count,
  tables_compared,
}: Pick<CheckReport, 'fault_count' | 'tables_compared'>): boolean {
  return fault_count === 0 && tables_compared
}

/** Said of a check that found no fault but couldn't compare the tables. */
export const LOG_ALONE =
  'Only the log was checked: its entries match their hashes and the last signed checkpoint. The tables were not compared, because a version before 0.1.0 began the log, and its entries lack what the tables are recomputed from.'
