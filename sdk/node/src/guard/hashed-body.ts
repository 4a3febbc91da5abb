import { runningHash } from '../actions/result-hash.ts'

/**
 * Returns the same body, hashed while it is sent. Calls `finish` before it ends; `is_whole` is false if the body broke
 * off. If the caller disconnects, the handler has responded, so the body counts as whole, but has no hash.
 */
export function hashedBody(
  body: ReadableStream<Uint8Array>,
  finish: (result_hash: string | undefined, is_whole: boolean) => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const hash = runningHash()
  let hasLeft = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (hasLeft) return // the cancelled body ends here, as if it were whole
        if (done) {
          await finish(hash.text(), true)
          controller.close()
        } else {
          hash.add(value)
          controller.enqueue(value)
        }
      } catch (error) {
        await finish(undefined, false)
        controller.error(error)
      }
    },
    async cancel(reason) {
      hasLeft = true
      await Promise.all([finish(undefined, true), reader.cancel(reason)])
    },
  })
}
