/** Tasks that a node repeats while it listens. What one round misses, the next one finds. */
export class Rounds {
  private readonly tasks: { readonly run: () => Promise<unknown>; readonly every_ms: number }[] = []
  private timers: NodeJS.Timeout[] = []
  private readonly onTrouble: (cause: unknown, what: string) => void

  constructor(onTrouble: (cause: unknown, what: string) => void) {
    this.onTrouble = onTrouble
  }

  /** Adds a task. `failed` is the log text if it fails. A task without it reports its own failures. */
  add(every_ms: number, task: () => Promise<unknown>, failed?: string): void {
    const run = () =>
      task().catch((cause) => {
        if (failed !== undefined) this.onTrouble(cause, failed)
      })
    this.tasks.push({ run, every_ms })
  }

  start(): void {
    this.timers = this.tasks.map(({ run, every_ms }) => setInterval(onceAtATime(run), every_ms))
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer)
  }
}

/** Runs a task unless it is still running. */
function onceAtATime(task: () => Promise<unknown>): () => void {
  let isRunning = false
  return () => {
    if (isRunning) return
    isRunning = true
    task().finally(() => {
      isRunning = false
    })
  }
}
