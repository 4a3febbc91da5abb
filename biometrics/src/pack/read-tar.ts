import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

const BLOCK = 512

/**
 * Reads the wanted members of a gzipped tar archive. Other members are skipped, and no name in the archive is used as a
 * path. Only for archives whose hash has been checked.
 */
export async function readTar(
  archive: string,
  isWanted: (name: string) => boolean,
): Promise<Map<string, Uint8Array>> {
  const reader = new TarReader(isWanted)
  await pipeline(createReadStream(archive), createGunzip({ chunkSize: 1 << 20 }), async (chunks) => {
    for await (const chunk of chunks) reader.take(chunk)
  })
  return reader.found
}

/** Reads the archive chunk by chunk and holds no more than the current member. */
class TarReader {
  readonly found = new Map<string, Uint8Array>()
  readonly #isWanted: (name: string) => boolean
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  #member: { readonly name: string | undefined; readonly size: number } | undefined
  /** Bytes of an unwanted member that are still to be skipped. */
  #toSkip = 0

  constructor(isWanted: (name: string) => boolean) {
    this.#isWanted = isWanted
  }

  take(chunk: Uint8Array): void {
    const skipped = Math.min(this.#toSkip, chunk.length)
    this.#toSkip -= skipped
    if (skipped === chunk.length) return
    this.#pending.push(chunk.subarray(skipped))
    this.#pendingBytes += chunk.length - skipped
    while (this.#step());
  }

  #step(): boolean {
    if (this.#member === undefined) return this.#readHeader()
    const { name, size } = this.#member
    const padded = Math.ceil(size / BLOCK) * BLOCK
    if (name === undefined) return this.#skip(padded)
    if (this.#pendingBytes < padded) return false
    this.found.set(name, this.#cut(padded).subarray(0, size))
    this.#member = undefined
    return true
  }

  #readHeader(): boolean {
    if (this.#pendingBytes < BLOCK) return false
    const header = this.#cut(BLOCK)
    // The archive ends with empty blocks.
    if (header[0] === 0) return true
    const isFile = header[156] === 0x30 || header[156] === 0
    const name = [textAt(header, 345, 155), textAt(header, 0, 100)].filter((part) => part !== '').join('/')
    const size = Number.parseInt(textAt(header, 124, 12).trim() || '0', 8)
    this.#member = { name: isFile && this.#isWanted(name) ? name : undefined, size }
    return true
  }

  #skip(bytes: number): boolean {
    const here = Math.min(bytes, this.#pendingBytes)
    this.#cut(here)
    this.#toSkip = bytes - here
    this.#member = undefined
    return this.#pendingBytes > 0
  }

  #cut(bytes: number): Uint8Array {
    const all = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending)
    if (all === undefined) return new Uint8Array(0)
    this.#pending = [all.subarray(bytes)]
    this.#pendingBytes = all.length - bytes
    return all.subarray(0, bytes)
  }
}

function textAt(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end))
}
