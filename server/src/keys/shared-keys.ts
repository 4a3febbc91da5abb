import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  completeKeyDocument,
  type KeyDocument,
  KeyFileError,
  newKeyDocument,
  readKeyDocument,
} from './key-document.ts'
import type { KeptKeys, KeyStorage } from './key-storage.ts'
import { type MasterKey, makeMasterKey, readMasterKey } from './master-key.ts'

/** A sealed key document, as shared by all nodes. */
export interface SealedKeys {
  readonly revision: number
  readonly sealed: Uint8Array
}

/** The shared place. It stores bytes and can't read them. */
export interface SealedPlace {
  /** The place, for messages. */
  readonly name: string
  read(): Promise<SealedKeys | undefined>
  newer(revision: number): Promise<SealedKeys | undefined>
  /** Stores the first document. False if there is one already. */
  create(keys: SealedKeys): Promise<boolean>
  /** Stores `next`. False unless its revision directly follows the stored one. */
  replace(next: SealedKeys): Promise<boolean>
  /** Whether the store in the same place has any content. */
  hasHistory(): Promise<boolean>
}

export interface SharedKeys {
  readonly kept: KeptKeys
  readonly storage: KeyStorage
  /** Whether this call created the deployment. */
  readonly is_new: boolean
  /** The path of a master key that this call created, to be copied to every node. */
  readonly made_master_key: string | undefined
}

export interface SharedKeysOptions {
  readonly place: SealedPlace
  readonly data_dir: string
  /** If undefined, `master.key` in the data directory, which is created for a new deployment. */
  readonly master_key_file: string | undefined
  readonly log_origin: string | undefined
  readonly now_ms: number
}

export const FIRST_REVISION = 1

/** Opens the keys that all nodes of a database share, or creates them for a new deployment. */
export async function openSharedKeys(options: SharedKeysOptions): Promise<SharedKeys> {
  const { place, now_ms, log_origin } = options
  const path = options.master_key_file ?? join(options.data_dir, 'master.key')
  const found = await place.read()
  if (found === undefined) await assertNew(place)
  const made = found === undefined && options.master_key_file === undefined && !existsSync(path)
  // A crash after the master key is made and before `create` leaves the file, which the next start uses.
  const master = made ? makeMasterKey(path) : masterKeyOf(path, found, place.name)
  const is_new =
    found === undefined &&
    (await place.create(
      sealDocument(master, completeKeyDocument(newKeyDocument(now_ms), log_origin, now_ms), FIRST_REVISION),
    ))
  const known = found ?? (await place.read())
  if (known === undefined) throw new KeyFileError(`the keys in ${place.name} were removed during the start`)
  if (made && !is_new) rmSync(path) // another node created this deployment first, with its own master key
  const storage = sealedStorage(place, master, path)
  const kept = await withEveryKey(openSealed(known, master, place.name, path), storage, options)
  return { kept, storage, is_new, made_master_key: made ? path : undefined }
}

/** Opens existing keys and changes nothing. `found` is the content of the place with this name. */
export function readSharedKeys(
  found: SealedKeys | undefined,
  name: string,
  master_key_file: string,
): KeyDocument {
  if (found === undefined) throw new KeyFileError(keyless(name))
  return openSealed(found, masterKeyOf(master_key_file, found, name), name, master_key_file).document
}

async function assertNew(place: SealedPlace): Promise<void> {
  if (await place.hasHistory()) throw new KeyFileError(keyless(place.name))
}

function keyless(name: string): string {
  return `${name} holds a store but not the keys that belong to it. Finish the move with deputy move, or restore the whole database from a backup.`
}

function masterKeyOf(path: string, found: SealedKeys | undefined, name: string): MasterKey {
  const master = readMasterKey(path)
  if (master !== undefined) return master
  throw new KeyFileError(
    found === undefined
      ? `DEPUTY_MASTER_KEY_FILE names ${path}, which does not exist. Create it: (umask 077; head -c 32 /dev/urandom | basenc --base64url -w0 | tr -d = > ${path})`
      : `The keys in ${name} are sealed, and the master key is missing. Copy master.key from another node of this database to ${path}, or name the file with DEPUTY_MASTER_KEY_FILE, or with --master-key of a command.`,
  )
}

function sealedStorage(place: SealedPlace, master: MasterKey, path: string): KeyStorage {
  return {
    place: place.name,
    async newer({ revision }) {
      const found = await place.newer(revision)
      return found === undefined ? undefined : openSealed(found, master, place.name, path)
    },
    async replace({ revision }, document) {
      const next = sealDocument(master, document, revision + 1)
      return (await place.replace(next)) ? { document, revision: next.revision } : undefined
    },
  }
}

/** Seals a document for a place that other parties can read. */
export function sealDocument(master: MasterKey, document: KeyDocument, revision: number): SealedKeys {
  return { revision, sealed: master.seal(revision, JSON.stringify(document)) }
}

function openSealed(found: SealedKeys, master: MasterKey, name: string, path: string): KeptKeys {
  const text = master.open(found.revision, found.sealed)
  if (text === undefined)
    throw new KeyFileError(
      `The master key in ${path} does not open the keys in ${name}. Copy master.key from another node of this database to ${path}.`,
    )
  return { document: readKeyDocument(text, `the key document in ${name}`), revision: found.revision }
}

/** Adds the keys that purposes lack, and the log's key under its configured name. */
async function withEveryKey(
  kept: KeptKeys,
  storage: KeyStorage,
  options: Pick<SharedKeysOptions, 'log_origin' | 'now_ms'>,
): Promise<KeptKeys> {
  const document = completeKeyDocument(kept.document, options.log_origin, options.now_ms)
  if (document === kept.document) return kept
  const next = (await storage.replace(kept, document)) ?? (await storage.newer(kept))
  return next === undefined ? kept : withEveryKey(next, storage, options)
}
