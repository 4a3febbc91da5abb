/** The name as a lenient reader sees it: compatibility forms (such as full-width letters) and case make no difference. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

/** The letters and digits of the folded name: `Write-File` and `write_file` are the same. */
export function foldedLetters(name: string): string {
  return foldedName(name).replaceAll(/[^\p{L}\p{N}]/gu, '')
}
