import { Worker } from 'node:worker_threads'

/**
 * Moves committed pages from the write-ahead log into the store file, in a thread of its own: the writer never waits for
 * it. It has no visible effect on the data: without it the write-ahead log would grow until the writer checkpoints it
 * itself.
 */
export interface Checkpointer {
  close(): Promise<void>
}

export function startCheckpointer(file: string): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: file,
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  worker.on('error', () => {}) // the writer notices by the length of its log, and helps itself
  return {
    async close() {
      worker.postMessage('close')
      await ended
    },
  }
}
