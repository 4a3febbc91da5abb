import crypto, { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** PKCS #8 in DER, up to the 32 bytes of the private key. */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Replaces the random sources of this process with a seeded one, so that a recorded run has the same IDs, keys and
 * signatures every time. Each length has its own sequence, so requests of one length don't affect the others.
 */
export function seedRandom(seed: string): void {
  const drawn = new Map<number, number>()

  function bytes(length: number): Buffer {
    const nth = drawn.get(length) ?? 0
    drawn.set(length, nth + 1)
    return createHash('shake256', { outputLength: length }).update(`${seed} ${length} ${nth}`).digest()
  }
  function fill<T extends ArrayBufferView>(view: T): T {
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(bytes(view.byteLength))
    return view
  }
  const { generateKeyPairSync } = crypto

  Object.assign(crypto, {
    randomBytes: bytes,
    randomFillSync: fill,
    randomInt: (limit: number) => bytes(6).readUIntBE(0, 6) % limit,
    generateKeyPairSync: (type: string, options: never) => {
      if (type !== 'ed25519') return generateKeyPairSync(type as 'ec', options) // only keys of the test provider, never recorded
      const key = Buffer.concat([ED25519_PKCS8, bytes(32)])
      const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
      return { privateKey, publicKey: createPublicKey(privateKey) }
    },
  })
  Object.assign(globalThis.crypto, { getRandomValues: fill })
  syncBuiltinESMExports()
}
