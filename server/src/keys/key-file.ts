import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type KeyDocument,
  KeyFileError,
  newKeyDocument,
  readKeyDocument,
  withLogKey,
} from './key-document.ts'
import type { KeptKeys, KeyStorage } from './key-storage.ts'
import { writeDurably } from './write-durably.ts'

const FILE = 'keys.json'

/** The key file of a data directory, which one process owns: nobody else ever replaces it. */
export function keyFile(directory: string): KeyStorage {
  const path = join(directory, FILE)
  return {
    place: path,
    newer: async () => undefined,
    async replace({ revision }, next) {
      save(path, next)
      return { document: next, revision: revision + 1 }
    },
  }
}

/** Reads the key file, or makes one when the deployment is new. */
export function openKeyFile(
  directory: string,
  now_ms: number,
  isNewDeployment: boolean,
  log_origin: string | undefined,
): KeptKeys {
  const path = join(directory, FILE)
  if (!existsSync(path)) {
    if (!isNewDeployment)
      throw new KeyFileError(
        `${path} is missing, although the store beside it exists. Restore it from a backup.`,
      )
    save(path, newKeyDocument(now_ms))
  }
  assertPrivate(path)
  const found = readKeyDocument(readFileSync(path, 'utf8'), path)
  const document = withLogKey(found, log_origin)
  if (document !== found) save(path, document)
  return { document, revision: 0 }
}

/** Reads the key file of a data directory and changes nothing. */
export function readKeyFile(directory: string): { readonly document: KeyDocument; readonly place: string } {
  const path = join(directory, FILE)
  if (!existsSync(path))
    throw new KeyFileError(`${path} is missing. Without it nothing that was signed or sealed can be checked.`)
  return { document: readKeyDocument(readFileSync(path, 'utf8'), path), place: path }
}

/** Throws a KeyFileError when others may read the file. Windows has no such bits. */
export function assertPrivate(path: string): void {
  if (process.platform === 'win32') return
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new KeyFileError(`${path} can be read by others. Run: chmod 600 ${path}`)
  }
}

function save(path: string, document: KeyDocument): void {
  writeDurably(path, `${JSON.stringify(document, undefined, 2)}\n`)
}
