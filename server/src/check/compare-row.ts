import type { TableRow } from '../store/port/store-tables.ts'
import { columnOf } from '../store/tables.ts'
import { type CheckedTable, type ExpectedValues, nameColumns, type SealedColumn } from './checked-columns.ts'
import { compareColumns, type Findings } from './findings.ts'
import type { NamesInUse } from './names.ts'
import type { ExpectedText, ReplayState } from './replay/expected.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** Everything that a row comparison uses. */
export interface RowComparison {
  readonly findings: Findings
  readonly texts: SealedTexts
  readonly names: NamesInUse
  readonly replay: ReplayState
}

export interface ExpectedRow<T extends CheckedTable> {
  readonly values: ExpectedValues<T>
  /** The sealed texts of the row. */
  readonly sealed: { readonly [C in SealedColumn<T>]: ExpectedText | undefined }
  /** The ID of the row that its texts are sealed for; not needed for a table without sealed columns. */
  readonly sealed_for?: string
}

/** Compares a row with the expected one: its values, its sealed texts, and the names that it uses. */
export function compareRow<T extends CheckedTable>(
  table: T,
  key: string | number,
  row: TableRow,
  { values, sealed, sealed_for = '' }: ExpectedRow<T>,
  { findings, texts, names }: RowComparison,
): void {
  compareColumns(findings, table, key, row, values)
  for (const column of nameColumns(table)) names.mark(row[column])
  for (const [column, expected] of Object.entries<ExpectedText | undefined>(sealed)) {
    const { sealed: kind } = columnOf(table, column)
    if (kind === undefined) throw new TypeError(`${table}.${column} is not declared as sealed`)
    texts.check({ table, key, column }, row[column], { kind, row: sealed_for }, expected)
  }
}
