import { harmless, type Screen, shortened } from './screen.ts'

export interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  /** Never shortened, for IDs. */
  readonly whole?: true
}

const BETWEEN = '  '
const NARROWEST_COLUMN = 4

/** Rows under titles, shortened to the width of the screen. */
export function table<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  screen: Screen,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => harmless(cell(row))))
  const widths = fitted(columns, cells, screen.width)
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => paddedCell(shortened(text, widths[at] ?? 0, screen), widths[at] ?? 0))
      .join(BETWEEN)
      .trimEnd()
  const titles = line(columns.map(({ title }) => title))
  return [screen.paint('bold', titles), ...cells.map(line)].map((text) => `${text}\n`).join('')
}

function fitted<Row>(
  columns: readonly TableColumn<Row>[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...cells.map((texts) => [...(texts[at] ?? '')].length)),
  )
  const total = () => widths.reduce((sum, one) => sum + one, BETWEEN.length * (widths.length - 1))
  while (total() > width) {
    const widest = widestOf(columns, widths)
    if (widest === undefined) break
    widths[widest] = Math.max(NARROWEST_COLUMN, (widths[widest] ?? 0) - 1)
  }
  return widths
}

function widestOf<Row>(columns: readonly TableColumn<Row>[], widths: readonly number[]): number | undefined {
  const cuttable = widths
    .map((width, at) => ({ width, at }))
    .filter(({ width, at }) => columns[at]?.whole === undefined && width > NARROWEST_COLUMN)
  return cuttable.toSorted((one, other) => other.width - one.width)[0]?.at
}

function paddedCell(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length))
}
