import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

const inflate = promisify(inflateRaw)

const END_BYTES = 22
const COMMENT_MAX = 65_535

/**
 * Reads the wanted members of a zip archive (a Python wheel), stored or deflated. No name in the archive is used as a
 * path. Only for archives whose hash has been checked.
 */
export async function readZip(
  archive: string,
  isWanted: (name: string) => boolean,
): Promise<Map<string, Uint8Array>> {
  const file = await open(archive)
  try {
    const entries = await readDirectory(file)
    const found = new Map<string, Uint8Array>()
    for (const entry of entries) {
      if (isWanted(entry.name)) found.set(entry.name, await readEntry(file, entry))
    }
    return found
  } finally {
    await file.close()
  }
}

/** Returns all members of an archive in memory. They must be stored without compression, as PyTorch writes them. */
export function readStoredZip(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end === -1) throw new Error('The archive has no directory')
  const start = bytes.readUInt32LE(end + 16)
  const members = new Map<string, Uint8Array>()
  for (const { name, method, packedBytes, offset } of entriesOf(bytes.subarray(start, end))) {
    if (method !== 0) throw new Error(`${name} is compressed; only stored members are expected here`)
    const from = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
    if (from + packedBytes > bytes.length) throw new Error(`${name} is longer than its archive`)
    members.set(name, bytes.subarray(from, from + packedBytes))
  }
  return members
}

interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly packedBytes: number
  readonly offset: number
}

async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat()
  const tail = await readAt(file, Math.max(0, size - END_BYTES - COMMENT_MAX), size)
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end === -1) throw new Error('The archive has no directory')
  const start = tail.readUInt32LE(end + 16)
  const directory = await readAt(file, start, start + tail.readUInt32LE(end + 12))
  return entriesOf(directory)
}

function entriesOf(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + 46 <= directory.length; ) {
    const nameBytes = directory.readUInt16LE(at + 28)
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameBytes),
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    })
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

async function readEntry(file: FileHandle, entry: ZipEntry): Promise<Uint8Array> {
  const header = await readAt(file, entry.offset, entry.offset + 30)
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = await readAt(file, start, start + entry.packedBytes)
  if (entry.method === 0) return packed
  if (entry.method === 8) return inflate(packed)
  throw new Error(`${entry.name} is compressed with method ${entry.method}, which is not supported`)
}

async function readAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start)
  await file.read(bytes, 0, bytes.length, start)
  return bytes
}
