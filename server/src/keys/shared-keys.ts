import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type KeyDocument,
  KeyFileError,
  newKeyDocument,
  readKeyDocument,
  withLogKey,
} from './key-document.ts'
import type { KeptKeys, KeyStorage } from './key-storage.ts'
import { type MasterKey, makeMasterKey, readMasterKey } from './master-key.ts'

/** A sealed key document in a place that all nodes share. */
export interface SealedKeys {
  readonly revision: number
  readonly sealed: Uint8Array
}

/** The place itself: it keeps bytes, and understands nothing of them. */
export interface SealedPlace {
  /** How messages name it. */
  readonly name: string
  read(): Promise<SealedKeys | undefined>
  newer(revision: number): Promise<SealedKeys | undefined>
  /** Keeps the first document. False when there is one already. */
  create(keys: SealedKeys): Promise<boolean>
  /** Keeps `next`, whose revision is one above. False when that is no longer the next one. */
  replace(next: SealedKeys): Promise<boolean>
  /** Whether anything was ever written to the store in the same place. */
  hasHistory(): Promise<boolean>
}

export interface SharedKeys {
  readonly kept: KeptKeys
  readonly storage: KeyStorage
  /** Whether the deployment began just now. */
  readonly is_new: boolean
  /** A master key that was just made, to be copied to every node. */
  readonly made_master_key: string | undefined
}

export interface SharedKeysOptions {
  readonly place: SealedPlace
  readonly data_dir: string
  /** Undefined: `master.key` in the data directory, which is made for a new deployment. */
  readonly master_key_file: string | undefined
  readonly log_origin: string | undefined
  readonly now_ms: number
}

export const FIRST_REVISION = 1

/** Opens the keys that all nodes on one database share, or makes them when it is new. */
export async function openSharedKeys(options: SharedKeysOptions): Promise<SharedKeys> {
  const { place, now_ms, log_origin } = options
  const path = options.master_key_file ?? join(options.data_dir, 'master.key')
  const found = await place.read()
  if (found === undefined) await assertNew(place)
  const made = found === undefined && options.master_key_file === undefined && !existsSync(path)
  const master = made ? makeMasterKey(path) : masterKeyOf(path, found, place.name)
  const is_new =
    found === undefined &&
    (await place.create(sealed(master, withLogKey(newKeyDocument(now_ms), log_origin), FIRST_REVISION)))
  const known = found ?? (await place.read())
  if (known === undefined) throw new KeyFileError(`the keys in ${place.name} went away during the start`)
  if (made && !is_new) rmSync(path) // another node began this deployment, with a master key of its own
  const storage = sealedStorage(place, master, path)
  const kept = await named(opened(known, master, place.name, path), storage, log_origin)
  return { kept, storage, is_new, made_master_key: made ? path : undefined }
}

/** Opens keys that are there already and changes nothing. `found` is what the place of that name holds. */
export function readSharedKeys(
  found: SealedKeys | undefined,
  name: string,
  master_key_file: string,
): KeyDocument {
  if (found === undefined) throw new KeyFileError(keyless(name))
  return opened(found, masterKeyOf(master_key_file, found, name), name, master_key_file).document
}

async function assertNew(place: SealedPlace): Promise<void> {
  if (await place.hasHistory()) throw new KeyFileError(keyless(place.name))
}

function keyless(name: string): string {
  return `${name} holds a store but not the keys that belong to it. Finish the move into it with deputy move, or restore the whole database from a backup.`
}

function masterKeyOf(path: string, found: SealedKeys | undefined, name: string): MasterKey {
  const master = readMasterKey(path)
  if (master !== undefined) return master
  throw new KeyFileError(
    found === undefined
      ? `DEPUTY_MASTER_KEY_FILE names ${path}, which does not exist. Make one: (umask 077; head -c 32 /dev/urandom | basenc --base64url -w0 | tr -d = > ${path})`
      : `The keys in ${name} are sealed, and the master key is missing. Copy master.key from a node that runs on this database to ${path}, or name it with DEPUTY_MASTER_KEY_FILE.`,
  )
}

function sealedStorage(place: SealedPlace, master: MasterKey, path: string): KeyStorage {
  return {
    place: place.name,
    async newer({ revision }) {
      const found = await place.newer(revision)
      return found === undefined ? undefined : opened(found, master, place.name, path)
    },
    async replace({ revision }, document) {
      const next = sealed(master, document, revision + 1)
      return (await place.replace(next)) ? { document, revision: next.revision } : undefined
    },
  }
}

/** Seals a document for a place that others may read. */
export function sealed(master: MasterKey, document: KeyDocument, revision: number): SealedKeys {
  return { revision, sealed: master.seal(revision, JSON.stringify(document)) }
}

function opened(found: SealedKeys, master: MasterKey, name: string, path: string): KeptKeys {
  const text = master.open(found.revision, found.sealed)
  if (text === undefined)
    throw new KeyFileError(
      `The keys in ${name} were sealed with another master key than the one in ${path}. Copy master.key from a node that runs on this database to ${path}.`,
    )
  return { document: readKeyDocument(text, `the key document in ${name}`), revision: found.revision }
}

/** Makes sure that the log has a key and the name that the settings give it. */
async function named(kept: KeptKeys, storage: KeyStorage, log_origin: string | undefined): Promise<KeptKeys> {
  const document = withLogKey(kept.document, log_origin)
  if (document === kept.document) return kept
  const next = (await storage.replace(kept, document)) ?? (await storage.newer(kept))
  return next === undefined ? kept : named(next, storage, log_origin)
}
