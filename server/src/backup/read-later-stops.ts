import { createReadStream } from 'node:fs'
import { jsonLines } from './archive.ts'
import { type LaterStops, laterStops, readEvent } from './later-stops.ts'
import { RestoreRefused } from './restore-options.ts'

/** Collects the stops at or after a log index from a file of events. Throws a `RestoreRefused` if it can't be read. */
export async function readLaterStops(path: string, from_index: number): Promise<LaterStops> {
  const later = laterStops(from_index)
  let line_number = 0
  for await (const line of jsonLines(bytesOf(path))) {
    line_number += 1
    if (line.trim() === '') continue
    const event = readEvent(line)
    if (event === undefined)
      throw new RestoreRefused(
        `Line ${line_number} of ${path} is not an event. Each line must be one event as JSON, as deputy tail --json prints them.`,
      )
    later.add(event)
  }
  return later.end()
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (cause) {
    throw new RestoreRefused(
      `--events: ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}. Name a file with one event as JSON on each line, as deputy tail --json prints them.`,
    )
  }
}
