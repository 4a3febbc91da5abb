import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** The subset of CBOR that WebAuthn needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)])
  return Buffer.concat([head(5, value.size), ...members])
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  return size < 256
    ? Buffer.from([(major << 5) | 24, size])
    : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const KEY_INCLUDED = 0x40

/** A software authenticator with one key. Its signatures are real, and a test can change what it reports. */
export interface Device {
  readonly id: string
  create(options: Options, statement?: Map<string, Cbor>): Record<string, unknown>
  get(options: Options, changes?: { counter?: number; handle?: Buffer }): Record<string, unknown>
}

interface Options {
  readonly challenge: string
}

export function aDevice(origin: string): Device {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = randomBytes(16)
  const id = raw.toString('base64url')
  const rp_id = createHash('sha256').update(new URL(origin).hostname).digest()

  function data(flags: number, counter: number, ...more: Buffer[]): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([rp_id, Buffer.from([flags]), count, ...more])
  }
  const client = (type: string, { challenge }: Options) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = (response: Record<string, unknown>) => ({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  return {
    id,
    create(options, statement = new Map()) {
      const made = Buffer.concat([Buffer.alloc(16), Buffer.from([0, raw.length]), raw, coseKey(publicKey)])
      const authData = data(USER_PRESENT | USER_VERIFIED | KEY_INCLUDED, 0, made)
      const fmt = statement.size === 0 ? 'none' : 'packed'
      const attestation = new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', statement],
        ['authData', authData],
      ])
      return credential({
        clientDataJSON: client('webauthn.create', options).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['usb'],
      })
    },
    get(options, { counter = 0, handle } = {}) {
      const clientDataJSON = client('webauthn.get', options)
      const authenticatorData = data(USER_PRESENT | USER_VERIFIED, counter)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
      return credential({
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign(null, signed, privateKey).toString('base64url'),
        ...(handle !== undefined && { userHandle: handle.toString('base64url') }),
      })
    },
  }
}

function coseKey(key: KeyObject): Buffer {
  const { x = '' } = key.export({ format: 'jwk' })
  return cbor(
    new Map<number, Cbor>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, Buffer.from(x, 'base64url')],
    ]),
  )
}
