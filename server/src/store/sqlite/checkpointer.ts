import { Worker } from 'node:worker_threads'

/**
 * Moves committed pages from the write-ahead log into the store file, in its own thread: the writer never waits for it.
 * It has no visible effect on the data. Without it, the write-ahead log would grow until the writer checkpoints it.
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
  worker.on('error', () => {}) // the writer notices by the length of its log, and checkpoints itself
  return {
    async close() {
      worker.postMessage('close')
      await ended
    },
  }
}
