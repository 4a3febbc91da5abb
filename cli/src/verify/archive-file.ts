import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { ByteSource } from '@deputize/protocol/verifier'
import { Unchecked } from './unchecked.ts'

/** Reads the first bytes of a file, which identify its kind. */
export async function firstBytes(file: string): Promise<Uint8Array> {
  const handle = await reading(file, () => open(file))
  try {
    const { buffer, bytesRead } = await reading(file, () => handle.read(Buffer.alloc(4), 0, 4, 0))
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** A file that can be read from any position. */
export async function fileSource(file: string): Promise<ByteSource> {
  const { size } = await reading(file, () => stat(file))
  return {
    size,
    async *read(start, end) {
      if (end > start) yield* createReadStream(file, { start, end: end - 1 })
    },
  }
}

async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new Unchecked(`${file} cannot be read (${error.code}).`)
    throw error
  }
}
