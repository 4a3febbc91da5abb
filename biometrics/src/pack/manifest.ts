import { createHash } from 'node:crypto'
import { AUDIO_NETS } from './manifest/audio.ts'
import { RUNTIME } from './manifest/runtime.ts'
import type { PackageSource, PackFile } from './manifest/source.ts'
import { VISION_PARTS } from './manifest/vision.ts'
import { VOICE_SOURCES } from './manifest/voice.ts'

/** The parts of a pack. */
export interface Manifest {
  readonly required: readonly PackageSource[]
  /** Without these, part of the engine is missing, but the engine works. */
  readonly optional: readonly PackageSource[]
}

export const MANIFEST: Manifest = {
  required: [...RUNTIME, ...VISION_PARTS, ...AUDIO_NETS],
  optional: VOICE_SOURCES,
}

/** This machine, as `<process.platform>-<process.arch>`. */
export const THIS_PLATFORM: string = `${process.platform}-${process.arch}`

/** Returns the hash of the manifest. Packs with the same version hold the same bytes. */
export function packVersion(manifest: Manifest = MANIFEST): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 32)
}

/** Returns the files of a source that `platform` needs. */
export function filesFor(source: PackageSource, platform: string): PackFile[] {
  return source.files.filter((file) => file.platform === undefined || file.platform === platform)
}

/** Returns the platforms that native libraries exist for. */
export function platformsOf(manifest: Manifest): string[] {
  const files = manifest.required.flatMap((source) => source.files)
  return [...new Set(files.flatMap((file) => file.platform ?? []))].sort()
}
