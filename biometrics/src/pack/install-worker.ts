/** Installs the pack in its own thread, because hashing and converting would keep the service from answering. */
import { parentPort, workerData } from 'node:worker_threads'
import type { InstallProgress } from './install-lock.ts'
import { PackError } from './pack-error.ts'
import { type InstallOutcome, type InstallRequest, writePack } from './write-pack.ts'

export type InstallData = Omit<InstallRequest, 'onProgress'>

export type FromInstall =
  | { readonly progress: InstallProgress }
  | { readonly outcome: InstallOutcome }
  | { readonly refused: string }

if (parentPort !== null) await install(parentPort)

async function install(port: { postMessage(message: FromInstall): void }): Promise<void> {
  // A cast, because `installPack` starts this thread with nothing else.
  const data = workerData as InstallData
  try {
    const outcome = await writePack({ ...data, onProgress: (progress) => port.postMessage({ progress }) })
    port.postMessage({ outcome })
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    port.postMessage({ refused: error.message })
  }
}
