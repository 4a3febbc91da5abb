import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Load, Measurement } from './generator.ts'

export interface Generator {
  /** Applies the load and returns the measurement. Rejects if any response was not the expected one. */
  measure(load: Load): Promise<Measurement>
  stop(): void
}

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('./generator.ts', import.meta.url)))
  return {
    async measure(load) {
      child.send(load)
      const [measurement] = (await once(child, 'message')) as [Measurement] // the generator sends nothing else
      if (measurement.errors > 0)
        throw new Error(
          `${measurement.errors} answers were not as expected. The first:\n${measurement.first_error}`,
        )
      return measurement
    },
    stop: () => child.disconnect(),
  }
}
