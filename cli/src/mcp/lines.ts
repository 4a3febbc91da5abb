const NEWLINE = 0x0a

/** The lines of a stream, each with its line end, as unchanged bytes. */
export async function* streamLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end + 1)
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest])
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}
