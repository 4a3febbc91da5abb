import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Download } from '@deputize/sdk'
import { errorText } from '../start-problems.ts'
import { progressLine } from '../terminal/progress-line.ts'
import { UsageError } from './exit.ts'

/** A file that was written. */
export interface SavedFile {
  readonly file: string
  readonly bytes: number
}

/** Where to save a download. */
export interface DownloadTarget {
  /** The file to write. Default: the name that the service gives it, in this folder. */
  readonly out: string | undefined
  /** The name, if nothing else gives one. */
  readonly otherwise: string
  /** Permissions of the file. */
  readonly mode: number
}

/** Writes a download to a new file. A download that breaks leaves no file. */
export async function saveDownload(
  { body, file_name }: Pick<Download, 'body' | 'file_name'>,
  { out, otherwise, mode }: DownloadTarget,
): Promise<SavedFile> {
  const file = out ?? basename(file_name ?? otherwise)
  const line = progressLine(process.stderr)
  let bytes = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      line.show(`${(bytes / 1e6).toFixed(1)} MB`)
      yield chunk
    }
  }
  const target = createWriteStream(file, { flags: 'wx', mode })
  const opened = new Promise((resolve, reject) => target.once('open', resolve).once('error', reject))
  await opened.catch((error: unknown) => {
    throw new UsageError(`${file} cannot be created: ${errorText(error)}`)
  })
  try {
    await pipeline(body, counted, target)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    line.clear()
  }
  return { file, bytes }
}
