import type { PackageSource } from './source.ts'

/** Describes voices. Optional: these packages come from PyPI, which needs Python on the machine that installs. */
export const VOICE_SOURCES: readonly PackageSource[] = []
