/** Words between commas or spaces. */
export function listedWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
