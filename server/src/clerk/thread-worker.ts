import { parentPort, workerData } from 'node:worker_threads'
import { sqliteWriteStore } from '../store/sqlite/write-store.ts'
import { runBatch } from './run-batch.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

/** The writing thread: it alone owns the store, and carries out one batch after another. */
function main(port: NonNullable<typeof parentPort>, { file, instance }: ThreadData): void {
  const store = sqliteWriteStore({ file, instance, clock: Date.now })
  const send = (message: FromThread) => port.postMessage(message)
  const reportBug = (cause: unknown) => send({ bug: describe(cause) })

  port.on('message', (message: ToThread) => {
    if ('close' in message) {
      store.close()
      port.close()
      return
    }
    const { batch, commands } = message
    runBatch(store, JSON.parse(commands), reportBug).then(
      (result) => send({ batch, result: JSON.stringify(result) }),
      (error) => send({ batch, failure: describe(error) }),
    )
  })
  send({ ready: true })
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined
    ? String(cause.stack)
    : `${cause.stack}\ncaused by ${describe(cause.cause)}`
}

if (parentPort !== null) main(parentPort, workerData)
