import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, scrypt } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { ExpectedFailure } from '../expected-failure.ts'

/**
 * The container of a backup: a first line that names the format, a line of JSON that anyone can read, and chunks that only
 * the passphrase opens. The key of the chunks depends on both lines, so neither can be changed. Each chunk is sealed with
 * AES-256-GCM under its number, and the last one is marked, so chunks can't be moved, removed or cut off.
 */

const FORMAT_LINE = 'deputy-backup/1\n'
const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES
const KEY_BYTES = 32
const MOST_HEADER_BYTES = 256 * 1024
/** Beyond this, opening a file would take minutes and gigabytes. */
const MOST_COST = 2 ** 20

/** How the key is derived from the passphrase: scrypt, by default with the cost that OWASP recommends. */
export interface KeyDerivation {
  readonly cost: number
  readonly block: number
  readonly parallel: number
  readonly salt: string
}

/** The members that the container itself needs in the line of JSON. */
export interface SealedHeader {
  readonly scrypt: KeyDerivation
  /** Distinguishes a wrong passphrase from a changed file. */
  readonly passphrase_check: string
}

/** The file is not a backup, was changed or cut, or the passphrase is wrong. The message says which. */
export class BackupUnreadable extends ExpectedFailure {
  override readonly name = 'BackupUnreadable'
}

/** The first bytes of a file, and the function that seals the chunks after them. */
export interface SealedFile {
  readonly head: Buffer
  seal(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
}

export async function sealedFile<T extends object>(
  members: T,
  passphrase: string,
  derivation: KeyDerivation,
): Promise<SealedFile> {
  const secret = await secretOf(passphrase, derivation)
  const header: T & SealedHeader = { ...members, scrypt: derivation, passphrase_check: checkOf(secret) }
  const head = Buffer.from(`${FORMAT_LINE}${JSON.stringify(header)}\n`)
  const key = chunkKey(secret, head)
  return { head, seal: (source) => sealedChunks(source, key) }
}

async function* sealedChunks(source: AsyncIterable<Uint8Array>, key: Uint8Array): AsyncGenerator<Uint8Array> {
  let number = 0
  for await (const { bytes, is_last } of chunksOf(source, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, is_last))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    number += 1
  }
}

/** A backup that is open for reading. */
export interface OpenedFile<T> {
  readonly header: T & SealedHeader
  /** The content, readable once. Throws a BackupUnreadable if the file was changed or cut. */
  content(): AsyncGenerator<Uint8Array>
}

/** Reads the line of JSON, which needs no passphrase. */
export async function readHeader<T extends object>(path: string, isWhole: (value: object) => value is T) {
  return (await headOf(path, isWhole)).header
}

export async function openSealedFile<T extends object>(
  path: string,
  passphrase: string,
  isWhole: (value: object) => value is T,
): Promise<OpenedFile<T>> {
  const { header, head } = await headOf(path, isWhole)
  const secret = await secretOf(passphrase, header.scrypt)
  if (checkOf(secret) !== header.passphrase_check)
    throw new BackupUnreadable(
      `The passphrase does not open ${path}. Set DEPUTY_BACKUP_PASSPHRASE to the one it was made with.`,
    )
  const key = chunkKey(secret, head)
  return { header, content: () => openedChunks(path, head.length, key) }
}

async function* openedChunks(path: string, start: number, key: Uint8Array): AsyncGenerator<Uint8Array> {
  let number = 0
  for await (const { bytes, is_last } of chunksOf(createReadStream(path, { start }), SEALED_BYTES)) {
    const opened = openedChunk(bytes, key, number, is_last)
    if (opened === undefined) throw new BackupUnreadable(damageOf(path, key, { bytes, is_last, number }))
    yield opened
    number += 1
  }
}

function damageOf(
  path: string,
  key: Uint8Array,
  { bytes, is_last, number }: Chunk & { readonly number: number },
): string {
  const isCut = is_last && (bytes.length === 0 || openedChunk(bytes, key, number, false) !== undefined)
  if (isCut) return `${path} is cut off: its end is missing. Use another copy.`
  const place = `in the 64 KiB after chunk ${number}`
  return is_last
    ? `${path} was changed or cut off ${place}. Use another copy.`
    : `${path} was changed ${place}. Use another copy.`
}

function openedChunk(
  sealed: Uint8Array,
  key: Uint8Array,
  number: number,
  is_last: boolean,
): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, is_last), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  try {
    const body = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES))
    return Buffer.concat([body, decipher.final()])
  } catch {
    return undefined
  }
}

/** Encodes the number of the chunk, and whether it is the last one. The key is used for one file only. */
function nonceOf(number: number, is_last: boolean): Uint8Array {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = is_last ? 1 : 0
  return nonce
}

interface Chunk {
  readonly bytes: Uint8Array
  readonly is_last: boolean
}

/** Yields the bytes of a source in pieces of this size. There is always a last one, which may be smaller or empty. */
async function* chunksOf(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Chunk> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const piece of source) {
    waiting.push(piece)
    length += piece.length
    if (length <= size) continue
    const all = Buffer.concat(waiting, length)
    let start = 0
    for (; all.length - start > size; start += size)
      yield { bytes: all.subarray(start, start + size), is_last: false }
    waiting = [all.subarray(start)]
    length = all.length - start
  }
  yield { bytes: Buffer.concat(waiting, length), is_last: true }
}

function secretOf(passphrase: string, { cost, block, parallel, salt }: KeyDerivation): Promise<Buffer> {
  const options = { N: cost, r: block, p: parallel, maxmem: 256 * block * (cost + parallel) + 2 ** 20 }
  return new Promise((resolve, reject) =>
    scrypt(
      passphrase.normalize('NFKC'),
      Buffer.from(salt, 'base64url'),
      KEY_BYTES,
      options,
      (error, secret) => (error === null ? resolve(secret) : reject(error)),
    ),
  )
}

function checkOf(secret: Uint8Array): string {
  return createHmac('sha256', secret).update('deputy/backup/passphrase').digest('base64url')
}

function chunkKey(secret: Uint8Array, head: Uint8Array): Uint8Array {
  const digest = createHash('sha256').update(head).digest()
  return new Uint8Array(hkdfSync('sha256', secret, digest, 'deputy/backup/chunks', KEY_BYTES))
}

async function headOf<T extends object>(path: string, isWhole: (value: object) => value is T) {
  const text = await firstLines(path)
  if (!text.startsWith(FORMAT_LINE))
    throw new BackupUnreadable(
      text.startsWith('deputy-backup/')
        ? `${path} has a format that this version of Deputy does not know. Use the version that made it, or a newer one.`
        : `${path} is not a backup of Deputy.`,
    )
  const header = parsedHeader(text.slice(FORMAT_LINE.length))
  if (header === undefined || !isSealedHeader(header) || !isWhole(header))
    throw new BackupUnreadable(`The manifest of ${path} was changed or cut off. Use another copy.`)
  return { header, head: Buffer.from(text) }
}

/** Returns the format and the line of JSON, as far as they exist. */
async function firstLines(path: string): Promise<string> {
  const file = await opened(path)
  try {
    const buffer = Buffer.alloc(MOST_HEADER_BYTES)
    const { bytesRead } = await file.read(buffer, 0, MOST_HEADER_BYTES, 0)
    const found = buffer.subarray(0, bytesRead)
    const end = found.indexOf('\n', FORMAT_LINE.length)
    return found.toString('utf8', 0, end < 0 ? Math.min(bytesRead, FORMAT_LINE.length) : end + 1)
  } finally {
    await file.close()
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r')
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new Error('it is not a file')
  } catch (cause) {
    throw new BackupUnreadable(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, {
      cause,
    })
  }
}

function parsedHeader(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function isSealedHeader(value: object): value is SealedHeader {
  if (!('scrypt' in value && 'passphrase_check' in value)) return false
  const { scrypt, passphrase_check } = value
  if (typeof passphrase_check !== 'string' || typeof scrypt !== 'object' || scrypt === null) return false
  if (!('cost' in scrypt && 'block' in scrypt && 'parallel' in scrypt && 'salt' in scrypt)) return false
  const { cost, block, parallel, salt } = scrypt
  return typeof salt === 'string' && isPowerOfTwo(cost) && block === 8 && parallel === 1
}

function isPowerOfTwo(cost: unknown): boolean {
  return typeof cost === 'number' && cost > 1 && cost <= MOST_COST && Number.isInteger(Math.log2(cost))
}
