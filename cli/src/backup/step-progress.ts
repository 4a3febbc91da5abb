import { CLEAR_LINE, UPDATE_EVERY_MS } from '../terminal/progress-line.ts'

const BAR_WIDTH = 24

interface StepState {
  readonly step: string
  readonly done: number
  /** Undefined if the end is not known. */
  readonly total: number | undefined
}

/** A bar for each step on a terminal. Prints nothing elsewhere. */
export function stepProgress(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>, isSilent: boolean) {
  if (!stream.isTTY || isSilent) return { show: (_: StepState) => undefined, end: () => undefined }
  let shown_ms = 0
  return {
    show(step: StepState): void {
      if (performance.now() - shown_ms < UPDATE_EVERY_MS) return
      shown_ms = performance.now()
      stream.write(`${CLEAR_LINE}${stepLine(step)}`)
    },
    end(): void {
      stream.write(CLEAR_LINE)
    },
  }
}

function stepLine({ step, done, total }: StepState): string {
  const shown = done.toLocaleString('en-US')
  if (total === undefined) return `${step.padEnd(10)}${shown}`
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const bar = '█'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░')
  return `${step.padEnd(10)}${bar} ${Math.floor(share * 100)} %  ${shown} of ${total.toLocaleString('en-US')}`
}
