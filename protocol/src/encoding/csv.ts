/** CSV according to RFC 4180, safe to open in a spreadsheet. */

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/** A spreadsheet runs a cell that starts with one of these characters, even after blanks or quotes. */
const FORMULA = /^[\s"'`]*[=+\-@\t\r\n＝＋－＠]/
const MUST_QUOTE = /[",\r\n]/

/**
 * Numbers and booleans are written unchanged. Text that a spreadsheet might run gets a leading apostrophe, and so does
 * text that already starts with one: removing one leading apostrophe always restores the text.
 */
export function csvCell(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.startsWith("'") || FORMULA.test(text) ? `'${text}` : text
  return MUST_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
