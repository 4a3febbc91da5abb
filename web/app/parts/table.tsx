import type { ComponentChildren } from 'preact'

export interface ListColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are right-aligned. */
  readonly number?: boolean
  /** Hidden on a phone, or shown there below the first cell of the row. */
  readonly wide?: boolean | 'below'
  /** Hidden unless there is room for everything. */
  readonly extra?: boolean
}

/** A table. The first cell of each row has its link, which the keys j and k move between. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string
  readonly columns: readonly ListColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}) {
  const style = ({ number = false, wide = false, extra = false }: ListColumn<Row>) =>
    `${number ? 'number ' : ''}${wide ? 'wide ' : ''}${extra ? 'extra' : ''}`
  const below = columns.filter(({ wide }) => wide === 'below')
  return (
    <div class="scroll">
      <table>
        <caption class="sr">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} class={style(column)} scope="col">
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row>
              {columns.map((column, at) => (
                <td key={column.name} class={style(column)}>
                  {column.cell(row)}
                  {at === 0 && below.length > 0 && (
                    <div class="below">
                      {below.map((one) => (
                        <span key={one.name}>{one.cell(row)}</span>
                      ))}
                    </div>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
