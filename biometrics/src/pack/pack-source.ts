import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EngineState, PackSource } from '../contract.ts'
import { installProgress, STARTING } from './install-lock.ts'
import { installPack } from './install-pack.ts'
import { MANIFEST, type Manifest, packVersion } from './manifest.ts'
import { PackError } from './pack-error.ts'

export interface PackSettings {
  /** `off` forbids the engine; `auto` fetches the pack when it is first needed. */
  readonly mode: 'auto' | 'off'
  /** The folder of all packs, in the data directory. */
  readonly root: string
  /** A pack that the operator has copied to this machine. If set, nothing is fetched. */
  readonly copied?: string | undefined
}

/** Returns where this service has its pack, and how it gets one. */
export function packSource(settings: PackSettings, manifest: Manifest = MANIFEST): PackSource {
  if (settings.mode === 'off') {
    return { state: () => ({ state: 'off' }), install: refuseOff, directory: () => undefined }
  }
  return settings.copied === undefined
    ? fetchedPack(settings.root, manifest)
    : copiedPack(copiedFolder(settings.copied, manifest), manifest)
}

/**
 * Returns the folder of the pack. The setting names it, or the folder that `deputy verification bundle` wrote it to.
 */
function copiedFolder(setting: string, manifest: Manifest): string {
  const inside = resolve(setting, packVersion(manifest))
  return existsSync(inside) ? inside : resolve(setting)
}

async function refuseOff(): Promise<void> {
  throw new PackError('The verification engine is off. Remove DEPUTY_ENGINE=off.')
}

function copiedPack(folder: string, manifest: Manifest): PackSource {
  const isThere = () => existsSync(join(folder, 'NOTICE.md'))
  const reason =
    `DEPUTY_ENGINE_DIR names ${folder}, which contains no engine pack. ` +
    'Make one with `deputy verification bundle <folder>` and copy it there.'
  return {
    state: () => (isThere() ? ready(manifest) : { state: 'failed', reason }),
    install: async () => {
      if (!isThere()) throw new PackError(reason)
    },
    directory: () => (isThere() ? folder : undefined),
  }
}

function fetchedPack(root: string, manifest: Manifest): PackSource {
  const folder = join(root, packVersion(manifest))
  let running: Promise<void> | undefined
  let failure: string | undefined

  async function install(): Promise<void> {
    failure = undefined
    try {
      await installPack({ root, manifest })
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      running = undefined
    }
  }

  function state(): EngineState {
    // The folder appears complete, by a rename.
    if (existsSync(folder)) return ready(manifest)
    const progress = installProgress(root) ?? (running === undefined ? undefined : STARTING)
    if (progress !== undefined) return { state: 'installing', ...progress }
    if (failure !== undefined) return { state: 'failed', reason: failure }
    return { state: 'absent' }
  }

  return {
    state,
    install: () => {
      running ??= install()
      return running
    },
    directory: () => (existsSync(folder) ? folder : undefined),
  }
}

function ready(manifest: Manifest): EngineState {
  return { state: 'ready', engine_version: packVersion(manifest) }
}
