import type { Progress } from '@deputize/protocol/verifier'

const WIDTH = 24
const EVERY_MS = 100
const CLEAR_LINE = '\r\u001b[K'

export interface ProgressBar {
  show(progress: Progress): void
  clear(): void
}

interface Terminal {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A line that says how far it is, on a terminal; elsewhere nothing. */
export function progressBar(stream: Terminal): ProgressBar {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined }
  const started_ms = performance.now()
  let shown_ms = 0
  return {
    show({ checked, of }) {
      const now_ms = performance.now()
      if (now_ms - shown_ms < EVERY_MS) return
      shown_ms = now_ms
      const per_second = Math.round((checked * 1000) / Math.max(1, now_ms - started_ms))
      stream.write(`${CLEAR_LINE}${lineOf(checked, of, per_second)}`)
    },
    clear: () => {
      stream.write(CLEAR_LINE)
    },
  }
}

function lineOf(checked: number, of: number, per_second: number): string {
  const share = of === 0 ? 1 : checked / of
  const bar = '█'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '░')
  const percent = `${Math.floor(share * 100)}`.padStart(3)
  return `${bar} ${percent} %  ${inWords(checked)} of ${inWords(of)} entries  ${inWords(per_second)}/s`
}

/** 1234567 as 1,234,567. */
export function inWords(count: number): string {
  return count.toLocaleString('en-US')
}
