import { newSha256, sha256Hex } from '../sha256.ts'

/** The body is longer than the limit of the guard. */
export class BodyTooLarge extends Error {
  readonly max_bytes: number

  constructor(max_bytes: number) {
    super(`The body is longer than ${max_bytes} bytes.`)
    this.name = 'BodyTooLarge'
    this.max_bytes = max_bytes
  }
}

/** The guard cannot know the bytes that the handler sees. The route is set up incorrectly, so nothing is admitted. */
export class BodyNotBound extends Error {
  constructor(way_out: string) {
    super(
      `The guard cannot bind the body of this request. ${way_out} Or set bind_body: false for this route, which then accepts no approvals.`,
    )
    this.name = 'BodyNotBound'
  }
}

export const NO_BODY_SHA256 = sha256Hex('')

/** Whether the headers announce a body (HTTP/1.1). */
export function announcesBody(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Returns the SHA-256 of a web stream. Cancels a stream longer than `max_bytes` and throws `BodyTooLarge`. */
export async function streamSha256(stream: ReadableStream<Uint8Array>, max_bytes: number): Promise<string> {
  const reader = stream.getReader()
  const hash = newSha256()
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return hash.hex()
    size += value.length
    if (size > max_bytes) {
      await reader.cancel()
      throw new BodyTooLarge(max_bytes)
    }
    hash.update(value)
  }
}
