import { randomBytes } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { ExpectedFailure } from '../expected-failure.ts'
import { type ArchiveReceiver, jsonLines, type OnRows, readRows, type TableDigests } from './archive.ts'
import { type BackupManifest, isBackupManifest } from './manifest.ts'
import { type KeyDerivation, openSealedFile, readHeader, sealedFile } from './sealed-file.ts'

/** Fast, and saves most of what can be saved: rows hold many digests, which don't shrink. */
const COMPRESSION = { level: 1 }
const SCRYPT_COST = 2 ** 17
const SALT_BYTES = 16

/** A backup can't be written there. The message says why. */
export class BackupRefused extends ExpectedFailure {
  override readonly name = 'BackupRefused'
}

/** Throws if the file exists. */
export function assertFree(path: string): void {
  if (existsSync(path))
    throw new BackupRefused(`${path} already exists. Backups are never overwritten: choose another name.`)
}

export interface Sealing {
  readonly passphrase: string
  /** The cost of one guess of the passphrase. Only tests, whose passphrase is known, use less than the default. */
  readonly scrypt_cost?: number
}

/** Writes and syncs a file. A crash leaves a partial file, which can't be opened. Returns the size. */
export async function writeBackupFile(
  path: string,
  manifest: BackupManifest,
  lines: AsyncIterable<Uint8Array>,
  { passphrase, scrypt_cost = SCRYPT_COST }: Sealing,
): Promise<number> {
  const { head, seal } = await sealedFile(manifest, passphrase, newDerivation(scrypt_cost))
  async function* sealed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield head
    yield* seal(source)
  }
  await pipeline(
    lines,
    createGzip(COMPRESSION),
    sealed,
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  await synced(path)
  return (await stat(path)).size
}

function newDerivation(cost: number): KeyDerivation {
  return { cost, block: 8, parallel: 1, salt: randomBytes(SALT_BYTES).toString('base64url') }
}

/** A backup that was opened with the right passphrase. */
export interface BackupFile {
  readonly manifest: BackupManifest
  /** Passes the content to the receiver and compares its digests. */
  read(receiver: ArchiveReceiver, onRows: OnRows): Promise<TableDigests>
}

export async function openBackupFile(path: string, passphrase: string): Promise<BackupFile> {
  const { header, content } = await openSealedFile(path, passphrase, isBackupManifest)
  return {
    manifest: header,
    read: (receiver, onRows) =>
      pipeline(content(), createGunzip(), (source) => readRows(jsonLines(source), receiver, onRows)),
  }
}

/** Reads the manifest, which needs no passphrase. */
export function readBackupManifest(path: string): Promise<BackupManifest> {
  return readHeader(path, isBackupManifest)
}

/** Gives a verified file its name. Never replaces another file, which could have appeared meanwhile. */
export async function publish(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
    await rm(draft)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') assertFree(path)
    if (codeOf(error) === 'EEXIST') throw error
    assertFree(path) // file systems without links
    await rename(draft, path)
  }
  if (process.platform !== 'win32') await synced(dirname(path))
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
