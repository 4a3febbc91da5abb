import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Writes, and waits while the reader has enough to do. What nobody can read any more is dropped. */
export async function write(stream: Writable, data: string | Buffer): Promise<void> {
  if (!stream.writable || stream.write(data)) return
  const over = new AbortController()
  const heard = ['drain', 'close'].map((name) => once(stream, name, { signal: over.signal }))
  await Promise.race(heard).catch(() => undefined)
  over.abort()
}
