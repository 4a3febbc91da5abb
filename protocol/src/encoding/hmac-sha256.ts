import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** No character takes more bytes in UTF-8. */
const MOST_BYTES_OF_CHARACTER = 3

/** Where texts are put behind the key. Longer ones get a buffer of their own. Typed arrays are cleared faster. */
const desk = new Uint8Array(4096)
const writer = Buffer.from(desk.buffer)

/**
 * Returns a function that computes the HMAC-SHA-256 of texts in hex (RFC 2104). Two plain hashes take about two thirds
 * of the time of `createHmac`, which makes an object with memory of its own for each text.
 */
export function hmacSha256(key: Uint8Array): (text: string) => string {
  const inner = padded(key, 0x36, BLOCK_BYTES)
  const outer = padded(key, 0x5c, BLOCK_BYTES + DIGEST_BYTES)
  return (text) => {
    outer.write(innerHash(text), BLOCK_BYTES, 'latin1')
    return hash('sha256', outer, 'hex')
  }

  function innerHash(text: string): string {
    if (BLOCK_BYTES + text.length * MOST_BYTES_OF_CHARACTER > desk.length)
      return hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'binary')
    desk.set(inner)
    const end = BLOCK_BYTES + writer.write(text, BLOCK_BYTES)
    const digest = hash('sha256', desk.subarray(0, end), 'binary')
    desk.fill(0, 0, end) // the key is secret, and texts may be personal data
    return digest
  }
}

/** The key, followed by zeros to the end of a block, combined with a byte. The rest of `length` is free. */
function padded(key: Uint8Array, byte: number, length: number): Buffer {
  const block = Buffer.alloc(length)
  block.set(key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key)
  for (let index = 0; index < BLOCK_BYTES; index++) block[index] = (block[index] ?? 0) ^ byte
  return block
}
