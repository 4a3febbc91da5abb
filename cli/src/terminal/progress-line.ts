/** The shortest time between two updates. */
export const UPDATE_EVERY_MS = 100
export const CLEAR_LINE = '\r\u001b[K'

export interface ProgressLine {
  show(text: string): void
  clear(): void
}

/** A line that is overwritten on a terminal. Prints nothing elsewhere. */
export function progressLine(stream: NodeJS.WriteStream): ProgressLine {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined }
  let shown_ms = performance.now()
  return {
    show(text) {
      if (performance.now() - shown_ms < UPDATE_EVERY_MS) return
      shown_ms = performance.now()
      stream.write(`${CLEAR_LINE}${text}`)
    },
    clear() {
      stream.write(CLEAR_LINE)
    },
  }
}
