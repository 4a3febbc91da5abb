/** Returns `a, b, c`, for SELECT and INSERT. */
export function listed(columns: readonly string[]): string {
  return columns.join(', ')
}

/** Returns `a = excluded.a, b = excluded.b`, so that an upsert replaces these columns. */
export function replaced(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ')
}

/** Returns `a = t.a + excluded.a`, so that an upsert adds to these columns. */
export function added(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
}
