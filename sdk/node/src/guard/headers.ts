/** Returns the value of a header. Undefined if the header is missing or repeated. */
export function singleHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
