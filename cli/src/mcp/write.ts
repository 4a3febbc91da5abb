import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Writes, and waits while the reader is busy. Data for a closed stream is dropped. */
export async function writeTo(stream: Writable, data: string | Buffer): Promise<void> {
  if (!stream.writable || stream.write(data)) return
  const over = new AbortController()
  const ready = ['drain', 'close'].map((name) => once(stream, name, { signal: over.signal }))
  await Promise.race(ready).catch(() => undefined)
  over.abort()
}
