/** The members of `http_ece` that tests use. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  interface Decryption {
    readonly version: 'aes128gcm'
    readonly privateKey: ECDH
    readonly authSecret: Buffer
  }
  const ece: { decrypt(body: Buffer, options: Decryption): Buffer }
  export = ece
}
