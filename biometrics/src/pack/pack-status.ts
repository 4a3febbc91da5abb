import { join } from 'node:path'
import { filesFor, MANIFEST, packVersion, THIS_PLATFORM } from './manifest.ts'
import { PackError } from './pack-error.ts'
import { type PackSettings, packSource } from './pack-source.ts'
import { verifyPack } from './verify-pack.ts'

/** The status of a service's pack, for operators. */
export interface PackStatus {
  readonly state: 'ready' | 'broken' | 'absent' | 'installing' | 'failed' | 'off'
  /** The version that this program needs. */
  readonly version: string
  readonly folder: string
  /** Size of the files on disk. 0 unless ready. */
  readonly bytes: number
  /** Optional packages that the pack lacks. */
  readonly missing: readonly string[]
  /** What is wrong and what to do. */
  readonly problem: string | undefined
}

/** Reads every file of the pack to check whether it is intact. */
export function packStatus(settings: PackSettings): PackStatus {
  const source = packSource(settings)
  const state = source.state()
  const folder = source.directory() ?? settings.copied ?? join(settings.root, packVersion())
  const found = { version: packVersion(), folder, bytes: 0, missing: [], problem: undefined }
  if (state.state !== 'ready') {
    return { ...found, state: state.state, problem: state.state === 'failed' ? state.reason : undefined }
  }
  try {
    const files = verifyPack(folder, MANIFEST, THIS_PLATFORM)
    const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0)
    const missing = MANIFEST.optional.filter((optional) =>
      filesFor(optional, THIS_PLATFORM).some((file) => !files.has(file.path)),
    )
    return { ...found, state: 'ready', bytes, missing: missing.map(({ name }) => name) }
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    return { ...found, state: 'broken', problem: error.message }
  }
}
