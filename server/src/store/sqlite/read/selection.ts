import { columnOf, columnsIn, type TableName } from '../../tables.ts'

/**
 * Returns every column of a table, for SELECT. The driver throws for an integer beyond the safe ones, and then nothing
 * of the row could be read. So a larger sum is read as the largest safe integer: a token must stay stoppable whatever
 * was added up for it.
 */
export function selection(table: TableName): string {
  return columnsIn(table, 'sqlite')
    .map((name) =>
      columnOf(table, name).type === 'sum' ? `min(${name}, ${Number.MAX_SAFE_INTEGER}) AS ${name}` : name,
    )
    .join(', ')
}
