import { Readable } from 'node:stream'
import { constants, crc32, createDeflateRaw } from 'node:zlib'

/** A file to write. Its text is generated while it is written. */
export interface NewArchivedFile {
  readonly name: string
  readonly text: AsyncIterable<string>
}

const LOCAL = 0x04034b50
const DESCRIPTOR = 0x08074b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const ZIP_VERSION = 20
/** The sizes follow the file, and its name is UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** 1 January 1980, the first day of the format: the same content yields the same archive. */
const DATE = 0x0021
const MAX_BYTES = 0xffff_ffff
/** How much is compressed at a time. */
const GROUP_LENGTH = 64 * 1024

interface WrittenFile {
  readonly name: Buffer
  readonly crc: number
  readonly packed: number
  readonly bytes: number
  readonly offset: number
}

/** Writes a ZIP archive while it is sent. Holds one group of one file in memory, and the directory. */
export async function* zipArchive(files: AsyncIterable<NewArchivedFile>): AsyncGenerator<Uint8Array> {
  const written: WrittenFile[] = []
  let offset = 0
  for await (const file of files) {
    const name = Buffer.from(file.name)
    yield localHeader(name)
    const { crc, packed, bytes } = yield* compressed(file.text)
    const entry = { name, crc, packed, bytes, offset }
    yield descriptor(entry)
    written.push(entry)
    offset += LOCAL_BYTES + name.length + packed + DESCRIPTOR_BYTES
    assertRepresentable(offset, bytes)
  }
  const directory = Buffer.concat(written.map(centralEntry))
  assertRepresentable(offset + directory.length)
  yield directory
  yield endOf(written.length, directory.length, offset)
}

async function* compressed(text: AsyncIterable<string>) {
  let crc = 0
  let bytes = 0
  let packed = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const group of grouped(text)) {
      crc = crc32(group, crc)
      bytes += group.length
      yield group
    }
  }
  const source = Readable.from(counted())
  const deflate = createDeflateRaw({ level: constants.Z_DEFAULT_COMPRESSION })
  source.on('error', (error) => deflate.destroy(error))
  source.pipe(deflate)
  try {
    for await (const chunk of deflate) {
      packed += chunk.length
      yield chunk as Buffer // a stream without an encoding yields buffers
    }
  } finally {
    source.destroy()
    deflate.destroy()
  }
  return { crc, packed, bytes }
}

async function* grouped(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let group = ''
  for await (const piece of text) {
    group += piece
    if (group.length < GROUP_LENGTH) continue
    yield Buffer.from(group)
    group = ''
  }
  if (group !== '') yield Buffer.from(group)
}

const LOCAL_BYTES = 30
const DESCRIPTOR_BYTES = 16

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(LOCAL, 0)
  header.writeUInt16LE(ZIP_VERSION, 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt16LE(DEFLATED, 8)
  header.writeUInt16LE(DATE, 12)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function descriptor({ crc, packed, bytes }: WrittenFile): Buffer {
  const block = Buffer.alloc(DESCRIPTOR_BYTES)
  block.writeUInt32LE(DESCRIPTOR, 0)
  block.writeUInt32LE(crc, 4)
  block.writeUInt32LE(packed, 8)
  block.writeUInt32LE(bytes, 12)
  return block
}

function centralEntry({ name, crc, packed, bytes, offset }: WrittenFile): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(CENTRAL, 0)
  entry.writeUInt16LE(ZIP_VERSION, 4)
  entry.writeUInt16LE(ZIP_VERSION, 6)
  entry.writeUInt16LE(FLAGS, 8)
  entry.writeUInt16LE(DEFLATED, 10)
  entry.writeUInt16LE(DATE, 14)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(packed, 20)
  entry.writeUInt32LE(bytes, 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, name])
}

function endOf(count: number, directory_bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory_bytes, 12)
  end.writeUInt32LE(offset, 16)
  return end
}

/** Throws if a size doesn't fit. The limits of a pack keep it far below 4 GiB. */
function assertRepresentable(...sizes: readonly number[]): void {
  if (sizes.some((size) => size > MAX_BYTES)) throw new Error('the archive is larger than 4 GiB')
}
