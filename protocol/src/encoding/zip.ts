/** Reads ZIP archives as Deputy writes them: deflated files one after another, and nothing between them. */

/** Bytes that can be read from any offset: a file, or a blob in a browser. */
export interface ByteSource {
  readonly size: number
  /** The bytes of `[start, end)`. */
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

/** A file in an archive. */
export interface ArchivedFile {
  readonly name: string
  /** Its length. Reading throws a ZipError if it turns out to be longer or shorter. */
  readonly bytes: number
  read(): AsyncGenerator<Uint8Array>
}

/** The bytes aren't a valid archive. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const END_BYTES = 22
const DESCRIPTOR_BYTES = 16
/** The sizes follow the file, and its name is UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** Longer than the directory of any audit pack. */
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024

/** The files of an archive, in its order. The directory must describe every byte of it. */
export async function readArchive(source: ByteSource): Promise<ArchivedFile[]> {
  const { count, start, length } = await readEnd(source)
  const directory = await bytesIn(source, start, start + length)
  const files: ArchivedFile[] = []
  const names = new Set<string>()
  let at = 0
  let offset = 0
  for (let nth = 0; nth < count; nth += 1) {
    const { entry, next } = readDirectoryEntry(directory, at)
    if (entry.offset !== offset) throw new ZipError('It contains bytes that belong to no file.')
    if (names.has(entry.name)) throw new ZipError(`It contains ${entry.name} twice.`)
    names.add(entry.name)
    const head = LOCAL_BYTES + entry.name_bytes
    await assertLocalName(source, entry, head)
    files.push(archivedFile(source, entry, offset + head))
    offset += head + entry.packed + DESCRIPTOR_BYTES
    at = next
  }
  if (offset !== start || at !== length) throw new ZipError('It contains bytes that belong to no file.')
  return files
}

interface DirectoryEntry {
  readonly name: string
  readonly name_bytes: number
  readonly packed: number
  readonly bytes: number
  readonly offset: number
}

async function readEnd(source: ByteSource): Promise<{ count: number; start: number; length: number }> {
  const from = source.size - END_BYTES
  const end = from < 0 ? undefined : viewOf(await bytesIn(source, from, source.size))
  if (end === undefined || end.getUint32(0, true) !== END)
    throw new ZipError('It has no end: the download is incomplete, or it is not an archive.')
  const [count, length, start] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)]
  if (start + length !== from || length > MAX_DIRECTORY_BYTES)
    throw new ZipError('Its directory is not where it should be.')
  return { count, start, length }
}

function readDirectoryEntry(directory: Uint8Array, at: number): { entry: DirectoryEntry; next: number } {
  const view = viewOf(directory)
  if (at + CENTRAL_BYTES > directory.length || view.getUint32(at, true) !== CENTRAL)
    throw new ZipError('Its directory is incomplete.')
  const isPlain = view.getUint16(at + 8, true) === FLAGS && view.getUint16(at + 10, true) === DEFLATED
  const name_bytes = view.getUint16(at + 28, true)
  const others = view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  if (!isPlain || others !== 0) throw new ZipError('It was not written by Deputy.')
  const next = at + CENTRAL_BYTES + name_bytes
  const entry = {
    name: textIn(directory.subarray(at + CENTRAL_BYTES, next)),
    name_bytes,
    packed: view.getUint32(at + 20, true),
    bytes: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
  }
  return { entry, next }
}

/** Throws unless the name before the file matches the one in the directory. Some programs show the former. */
async function assertLocalName(source: ByteSource, entry: DirectoryEntry, head: number): Promise<void> {
  const bytes = await bytesIn(source, entry.offset, entry.offset + head)
  const view = viewOf(bytes)
  const isSame =
    view.getUint32(0, true) === LOCAL &&
    view.getUint16(26, true) === entry.name_bytes &&
    view.getUint16(28, true) === 0 &&
    textIn(bytes.subarray(LOCAL_BYTES)) === entry.name
  if (!isSame) throw new ZipError(`It has another name before ${entry.name} than in its directory.`)
}

function archivedFile(source: ByteSource, entry: DirectoryEntry, start: number): ArchivedFile {
  const { name, bytes, packed } = entry
  return {
    name,
    bytes,
    async *read() {
      let seen = 0
      for await (const chunk of inflated(source.read(start, start + packed), name)) {
        seen += chunk.length
        if (seen > bytes) break
        yield chunk
      }
      if (seen !== bytes) throw new ZipError(`${name} does not have the length that the archive states.`)
    },
  }
}

async function* inflated(packed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const reader = streamOf(packed).pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
  } catch (error) {
    if (error instanceof Error && error.name !== 'TypeError' && !('code' in error)) throw error
    throw new ZipError(`${name} cannot be decompressed.`)
  } finally {
    await reader.cancel().catch(() => {}) // a stream that failed has nothing to cancel
  }
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const step = await iterator.next()
      if (step.done === true) controller.close()
      else controller.enqueue(new Uint8Array(step.value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

async function bytesIn(source: ByteSource, start: number, end: number): Promise<Uint8Array> {
  if (end > source.size) throw new ZipError('Its directory points beyond its end.')
  const bytes = new Uint8Array(end - start)
  let at = 0
  for await (const chunk of source.read(start, end)) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function textIn(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
