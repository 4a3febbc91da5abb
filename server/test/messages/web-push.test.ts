import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import ece from 'http_ece'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { encryptPush, isPushReceiver } from '../../src/messages/push/encrypt.ts'
import { vapidKey } from '../../src/messages/push/vapid.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

/** RFC 8291, appendix A. */
const EXAMPLE = {
  plaintext: 'When I grow up, I want to be a watermelon',
  as_private: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  ua_private: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  ua_public: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

describe('a push message', () => {
  test('is encrypted as in the example of RFC 8291', () => {
    const receiver = { p256dh: bytes(EXAMPLE.ua_public), auth: bytes(EXAMPLE.auth) }
    const seed = { private_key: bytes(EXAMPLE.as_private), salt: bytes(EXAMPLE.salt) }
    assert.equal(
      encryptPush(Buffer.from(EXAMPLE.plaintext), receiver, seed).toString('base64url'),
      EXAMPLE.body,
    )
  })

  test('can be read by another implementation, at every length that it may have', () => {
    const browser = createECDH('prime256v1')
    browser.generateKeys()
    const auth = randomBytes(16)
    for (const length of [0, 1, 15, 16, 17, 1_000, 3_993]) {
      const text = randomBytes(length)
      const body = encryptPush(text, { p256dh: browser.getPublicKey(), auth })
      const read = ece.decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret: auth })
      assert.deepEqual(read, text, `${length}`)
    }
    assert.throws(() => encryptPush(randomBytes(3_994), { p256dh: browser.getPublicKey(), auth }), RangeError)
  })

  test('is never encrypted the same way twice', () => {
    const receiver = { p256dh: bytes(EXAMPLE.ua_public), auth: bytes(EXAMPLE.auth) }
    const bodies = Array.from({ length: 20 }, () =>
      encryptPush(Buffer.from('same'), receiver).toString('hex'),
    )
    assert.equal(new Set(bodies).size, 20)
  })

  test('requires keys that a browser can have created', () => {
    const good = { p256dh: bytes(EXAMPLE.ua_public), auth: bytes(EXAMPLE.auth) }
    const off = Buffer.from(good.p256dh)
    off.writeUInt8(off.readUInt8(64) ^ 1, 64)
    assert.equal(isPushReceiver(good), true)
    for (const bad of [
      { ...good, auth: good.auth.subarray(1) },
      { ...good, p256dh: good.p256dh.subarray(1) },
      { ...good, p256dh: off },
      { ...good, p256dh: Buffer.alloc(65) },
    ])
      assert.equal(isPushReceiver(bad), false)
  })
})

describe('the key of the deployment', () => {
  const derive = (label: string) => Buffer.alloc(32, label.length)
  const key = vapidKey(derive)
  const NOW_MS = Date.parse('2026-11-16T12:00:00Z')

  test("signs the sender's address, only for this push service and for half a day", async () => {
    const header = key.authorization('https://push.example.com/send/abc', 'mailto:ops@example.com', NOW_MS)
    const [, token = '', k = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(header) ?? []
    assert.equal(k, key.public_key)
    const point = bytes(k)
    const x = point.subarray(1, 33).toString('base64url')
    const y = point.subarray(33).toString('base64url')
    const { payload } = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'), {
      currentDate: new Date(NOW_MS),
    })
    assert.deepEqual(payload, {
      aud: 'https://push.example.com',
      exp: NOW_MS / 1000 + 12 * 3600,
      sub: 'mailto:ops@example.com',
    })
    assert.deepEqual(decodeProtectedHeader(token), { typ: 'JWT', alg: 'ES256' })
  })

  test('is the same on every node, and different in another deployment', () => {
    assert.equal(vapidKey(derive).public_key, key.public_key)
    assert.notEqual(vapidKey(() => Buffer.alloc(32, 9)).public_key, key.public_key)
  })

  test('is found even if a candidate is not below the order of the curve', () => {
    const candidates = [Buffer.alloc(32, 0xff), Buffer.alloc(32, 3)]
    const found = vapidKey((label) => candidates[Number(label.split(' ')[1])] ?? assert.fail(label))
    assert.equal(found.public_key, vapidKey(() => Buffer.alloc(32, 3)).public_key)
  })
})
