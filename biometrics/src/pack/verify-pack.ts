import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PackFile } from './manifest/source.ts'
import { filesFor, type Manifest } from './manifest.ts'
import { PackError } from './pack-error.ts'

const WAY_OUT =
  'Run `deputy verification install` to fetch it again. For a copied pack, make a new one with ' +
  '`deputy verification bundle <folder>` of this version of Deputy and copy it again.'

/**
 * Reads every file of the pack and compares its hash. Throws a `PackError` for the first that is missing or changed. An
 * optional file may be missing, but not changed. Returns the files that exist, by path.
 */
export function verifyPack(folder: string, manifest: Manifest, platform: string): Map<string, PackFile> {
  const required = manifest.required.flatMap((source) => filesFor(source, platform))
  const optional = manifest.optional.flatMap((source) => filesFor(source, platform))
  const there = optional.filter((file) => exists(join(folder, file.path)))
  const files = [...required, ...there]
  for (const file of files) readPackFile(folder, file)
  return new Map(files.map((file) => [file.path, file]))
}

/** Returns the bytes of one file. Throws a `PackError` if they don't match the manifest. */
export function readPackFile(folder: string, file: PackFile): Uint8Array {
  const bytes = readOrExplain(folder, file.path)
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (hash === file.sha256) return bytes
  throw new PackError(
    `${file.path} in the engine pack ${folder} was changed, or belongs to another version. ${WAY_OUT}`,
  )
}

function readOrExplain(folder: string, path: string): Uint8Array {
  try {
    return readFileSync(join(folder, path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw new PackError(`${path} in the engine pack ${folder} can't be read (${code}). ${WAY_OUT}`)
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
