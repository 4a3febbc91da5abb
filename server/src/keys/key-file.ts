import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  completeKeyDocument,
  type KeyDocument,
  KeyFileError,
  newKeyDocument,
  readKeyDocument,
} from './key-document.ts'
import type { KeptKeys, KeyStorage } from './key-storage.ts'
import { writeDurably } from './write-durably.ts'

const KEY_FILE = 'keys.json'

/** Opens the key file of a data directory. One process owns it, so no other replaces it. */
export function keyFile(directory: string): KeyStorage {
  const path = join(directory, KEY_FILE)
  return {
    place: path,
    newer: async () => undefined,
    async replace({ revision }, next) {
      save(path, next)
      return { document: next, revision: revision + 1 }
    },
  }
}

/** Reads the key file, or creates it for a new deployment. */
export function openKeyFile(
  directory: string,
  now_ms: number,
  isNewDeployment: boolean,
  log_origin: string | undefined,
): KeptKeys {
  const path = join(directory, KEY_FILE)
  if (!existsSync(path)) {
    if (!isNewDeployment)
      throw new KeyFileError(
        `${path} is missing, although the store beside it exists. Restore it from a backup.`,
      )
    // A crash after this and before the store exists leaves keys without a store. The next start uses them.
    save(path, newKeyDocument(now_ms))
  }
  assertPrivate(path)
  const found = readKeyDocument(readFileSync(path, 'utf8'), path)
  const document = completeKeyDocument(found, log_origin, now_ms)
  if (document !== found) save(path, document)
  return { document, revision: 0 }
}

/** Reads the key file of a data directory and changes nothing. */
export function readKeyFile(directory: string): { readonly document: KeyDocument; readonly place: string } {
  const path = join(directory, KEY_FILE)
  if (!existsSync(path))
    throw new KeyFileError(
      `${path} is missing. Without it, signatures and sealed data can't be checked. Restore it from a backup.`,
    )
  return { document: readKeyDocument(readFileSync(path, 'utf8'), path), place: path }
}

/** Throws a KeyFileError if other users can read the file. Windows has no such mode bits. */
export function assertPrivate(path: string): void {
  if (process.platform === 'win32') return
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new KeyFileError(`${path} can be read by others. Run: chmod 600 ${path}`)
  }
}

/** Writes the key file of a data directory that has none. */
export function createKeyFile(directory: string, document: KeyDocument): void {
  save(join(directory, KEY_FILE), document)
}

function save(path: string, document: KeyDocument): void {
  writeDurably(path, `${JSON.stringify(document, undefined, 2)}\n`)
}
