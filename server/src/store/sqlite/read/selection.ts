import { columnOf, columnsIn, type TableName } from '../../tables.ts'

/**
 * Every column of a table, for SELECT. The driver throws for an integer beyond the safe ones, and then nothing of the row
 * could be read. Sums are therefore read as the largest safe integer at most: a token must stay stoppable whatever was
 * added up for it.
 */
export function selection(table: TableName): string {
  return columnsIn(table, 'sqlite')
    .map((name) =>
      columnOf(table, name).type === 'sum' ? `min(${name}, ${Number.MAX_SAFE_INTEGER}) AS ${name}` : name,
    )
    .join(', ')
}
