import { Worker } from 'node:worker_threads'
import type { InstallProgress } from './install-lock.ts'
import type { FromInstall, InstallData } from './install-worker.ts'
import { MANIFEST, type Manifest, THIS_PLATFORM } from './manifest.ts'
import { PackError } from './pack-error.ts'
import type { InstallOutcome } from './write-pack.ts'

export interface InstallOptions {
  /** The folder of all packs. */
  readonly root: string
  readonly manifest?: Manifest | undefined
  /** `<process.platform>-<process.arch>` of the machine that will use the pack. */
  readonly platform?: string | undefined
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined
}

/** Fetches the pack unless there is an intact one. Rejects with a `PackError` whose message says what to do. */
export function installPack(options: InstallOptions): Promise<InstallOutcome> {
  const workerData: InstallData = {
    root: options.root,
    manifest: options.manifest ?? MANIFEST,
    platform: options.platform ?? THIS_PLATFORM,
  }
  const worker = new Worker(new URL('./install-worker.ts', import.meta.url), { workerData })
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromInstall) => {
      if ('progress' in message) options.onProgress?.(message.progress)
      else if ('outcome' in message) resolve(message.outcome)
      else reject(new PackError(message.refused))
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new PackError(`The installation ended early (exit code ${code}).`)))
  })
}
