const EVERY_MS = 100
const CLEAR_LINE = '\r\u001b[K'

export interface ProgressLine {
  show(text: string): void
  clear(): void
}

/** One line that is written over again, on a terminal; elsewhere nothing. */
export function progressLine(stream: NodeJS.WriteStream): ProgressLine {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined }
  let shown_ms = performance.now()
  return {
    show(text) {
      if (performance.now() - shown_ms < EVERY_MS) return
      shown_ms = performance.now()
      stream.write(`${CLEAR_LINE}${text}`)
    },
    clear() {
      stream.write(CLEAR_LINE)
    },
  }
}
