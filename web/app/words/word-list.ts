/** Splits a text into words at commas and spaces. */
export function listedWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
