/** A package in a public registry, and the files that the engine pack keeps from it. */
export interface PackageSource {
  readonly registry: 'npm' | 'pypi'
  readonly name: string
  readonly version: string
  /** Hash of the whole archive, as `sha512-<base64>`. */
  readonly integrity: string
  /** Size of the archive. */
  readonly bytes: number
  /** Licence of the kept files, and who made them. */
  readonly licence: string
  readonly origin: string
  readonly files: readonly PackFile[]
}

/** A file of the pack: one or more members of an archive, converted. */
export interface PackFile {
  /** The path of the file in the pack. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly converter: ConverterName
  readonly from: readonly Member[]
  /** The only system that needs the file, as `<process.platform>-<process.arch>`. */
  readonly platform?: string
}

export interface Member {
  readonly name: string
  readonly sha256: string
}

/** `copy` keeps the bytes. The others create an ONNX net. */
export type ConverterName = 'copy' | 'fixed_weights' | 'tfjs' | 'ecapa' | 'ge2e'

/** Returns a file for a member that is kept unchanged. */
export function kept(name: string, path: string, bytes: number, sha256: string, platform?: string): PackFile {
  const file = { path, bytes, sha256, converter: 'copy' as const, from: [{ name, sha256 }] }
  return platform === undefined ? file : { ...file, platform }
}
