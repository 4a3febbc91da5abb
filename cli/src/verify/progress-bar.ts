import type { AuditProgress } from '@deputize/protocol/verifier'
import { CLEAR_LINE, UPDATE_EVERY_MS } from '../terminal/progress-line.ts'

const BAR_WIDTH = 24

export interface EntryProgress {
  show(progress: AuditProgress): void
  clear(): void
}

interface Terminal {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A progress bar of log entries on a terminal. Prints nothing elsewhere. */
export function entryProgress(stream: Terminal): EntryProgress {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined }
  const started_ms = performance.now()
  let shown_ms = 0
  return {
    show({ checked, of }) {
      const now_ms = performance.now()
      if (now_ms - shown_ms < UPDATE_EVERY_MS) return
      shown_ms = now_ms
      const per_second = Math.round((checked * 1000) / Math.max(1, now_ms - started_ms))
      stream.write(`${CLEAR_LINE}${barLine(checked, of, per_second)}`)
    },
    clear: () => {
      stream.write(CLEAR_LINE)
    },
  }
}

function barLine(checked: number, of: number, per_second: number): string {
  const share = of === 0 ? 1 : checked / of
  const bar = '█'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░')
  const percent = `${Math.floor(share * 100)}`.padStart(3)
  return `${bar} ${percent} %  ${grouped(checked)} of ${grouped(of)} entries  ${grouped(per_second)}/s`
}

/** 1234567 as 1,234,567. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
