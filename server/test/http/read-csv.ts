/** A strict RFC 4180 reader: every line ends with CRLF, quotes enclose whole cells, all lines have the same length. */
export function readCsv(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  let at = 0
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at)
    line.push(cell)
    if (text[end] === ',') at = end + 1
    else if (text.startsWith('\r\n', end)) {
      lines.push(line)
      line = []
      at = end + 2
    } else throw new Error(`neither comma nor CRLF at ${end}`)
    if (at === text.length && line.length > 0) throw new Error('the last line does not end')
  }
  if (lines.some(({ length }) => length !== lines[0]?.length)) throw new Error('lines differ in length')
  return lines
}

function plainCell(text: string, start: number): [string, number] {
  let end = start
  while (end < text.length && !',\r\n"'.includes(text[end] ?? '')) end += 1
  return [text.slice(start, end), end]
}

function quotedCell(text: string, start: number): [string, number] {
  let cell = ''
  for (let at = start + 1; ; at++) {
    if (at >= text.length) throw new Error(`the quote at ${start} does not end`)
    if (text[at] !== '"') cell += text[at]
    else if (text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else return [cell, at + 1]
  }
}
