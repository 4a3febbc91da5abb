import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A new self-signed certificate for one name, so that the repository contains no private key. */
export function aCertificate(name: string): { readonly cert: string; readonly key: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = tbs(name, createPublicKey(privateKey))
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, ECDSA_SHA256, bitString(signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts)
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'))
const bitString = (bytes: Buffer) => tlv(0x03, Buffer.from([0]), bytes)
const text = (value: string) => tlv(0x0c, Buffer.from(value))
const time = (value: string) => tlv(0x18, Buffer.from(value))
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))

/** The signed part (RFC 5280): version 3, names, validity, the key, and its one DNS name. */
function tbs(name: string, publicKey: KeyObject): Buffer {
  const subject = sequence(tlv(0x31, sequence(oid('550403'), text(name))))
  const names = sequence(tlv(0x82, Buffer.from(name)))
  const isAuthority = sequence(tlv(0x01, Buffer.from([0xff])))
  return sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    subject,
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(
      0xa3,
      sequence(
        sequence(oid('551d11'), tlv(0x04, names)),
        sequence(oid('551d13'), tlv(0x01, Buffer.from([0xff])), tlv(0x04, isAuthority)),
      ),
    ),
  )
}
