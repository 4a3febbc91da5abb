export interface Bounds {
  readonly seconds: number
  /** Undefined: as many as the time allows. */
  readonly calls: number | undefined
  readonly connections: number
}

export interface Measured {
  readonly name: string
  readonly calls: number
  readonly failed: number
  readonly per_second: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
}

export interface Measuring {
  readonly name: string
  readonly work: () => Promise<unknown>
  readonly bounds: Bounds
  /** Stops early. Calls that have started are completed. */
  readonly signal: AbortSignal
  /** Called with the completed share, from 0 to 1. */
  readonly progress: (share: number) => void
}

/** Repeats the work with the given concurrency until the time or the calls are used up. */
export async function measureCalls({ name, work, bounds, signal, progress }: Measuring): Promise<Measured> {
  const { seconds, calls = Infinity, connections } = bounds
  const times_ms: number[] = []
  const failures: unknown[] = []
  const begun_ms = performance.now()
  const end_ms = begun_ms + seconds * 1000
  let begun = 0
  const worker = async () => {
    while (begun < calls && performance.now() < end_ms && !signal.aborted) {
      begun += 1
      const start_ms = performance.now()
      await work().then(
        () => times_ms.push(performance.now() - start_ms),
        (error: unknown) => failures.push(error),
      )
      const now_ms = performance.now()
      progress(Math.min(1, Math.max(begun / calls, (now_ms - begun_ms) / (end_ms - begun_ms))))
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  // No call succeeded; the first failure says why.
  if (times_ms.length === 0 && failures.length > 0) throw failures[0]
  const passed_s = (performance.now() - begun_ms) / 1000
  return {
    name,
    calls: times_ms.length,
    failed: failures.length,
    per_second: rounded(times_ms.length / passed_s),
    ...percentiles(times_ms),
  }
}

function percentiles(times_ms: readonly number[]): Pick<Measured, 'p50_ms' | 'p95_ms' | 'p99_ms'> {
  const sorted = times_ms.toSorted((one, other) => one - other)
  const at = (share: number) => rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) }
}

/** Three significant digits below 100, whole numbers above. */
function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
