import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { signCompact, verifySignedToken } from '@deputize/protocol'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { KeyFileError } from '../../src/keys/key-document.ts'
import { type KeyRing, openKeyRing } from '../../src/keys/key-ring.ts'

const NOW_MS = Date.parse('2027-01-01T00:00:00Z')
const DAY_MS = 86_400_000

async function aSignedToken({ active }: KeyRing, now_ms: number): Promise<string> {
  const key = active()
  const iat = now_ms / 1000
  return signCompact(
    { alg: 'EdDSA', typ: 'vat+jwt', kid: key.kid },
    {
      iss: 'me',
      sub: 'agent:x',
      jti: 'vat_root_1',
      iat,
      exp: iat + 60,
      svc_scope: { resources: [], actions: [] },
      svc_trust_score: 0.4,
    },
    key.sign,
  )
}

function verify(token: string, ring: KeyRing, now_ms: number) {
  return verifySignedToken(token, { now_s: now_ms / 1000, issuer: 'me', typ: 'vat+jwt', key: ring.find })
}

describe('the key ring', () => {
  test('makes its file readable by its owner only, and loads the same keys again', (context) => {
    const directory = temporaryDirectory(context)
    const first = openKeyRing(directory, NOW_MS, true)
    assert.equal(statSync(join(directory, 'keys.json')).mode & 0o777, 0o600)
    const second = openKeyRing(directory, NOW_MS, false)
    assert.equal(second.active().kid, first.active().kid)
    assert.equal(second.digest('human', 'x'), first.digest('human', 'x'))
  })

  test('signs with a new key after rotation while tokens of the old one still verify', async (context) => {
    const directory = temporaryDirectory(context)
    const ring = openKeyRing(directory, NOW_MS, true)
    const old = await aSignedToken(ring, NOW_MS)
    await ring.rotate(NOW_MS)
    const fresh = await aSignedToken(ring, NOW_MS)
    assert.equal(ring.published().length, 2)
    for (const token of [old, fresh]) assert.equal(verify(token, ring, NOW_MS).sub, 'agent:x')
    assert.notEqual(old.split('.')[0], fresh.split('.')[0])
    const reopened = openKeyRing(directory, NOW_MS, false)
    assert.equal(verify(old, reopened, NOW_MS).sub, 'agent:x')
  })

  test('deletes the private part of a retired key at once, and the key itself when its last token has expired', async (context) => {
    const directory = temporaryDirectory(context)
    const ring = openKeyRing(directory, NOW_MS, true)
    await ring.rotate(NOW_MS)
    const { keys } = JSON.parse(readFileSync(join(directory, 'keys.json'), 'utf8'))
    assert.deepEqual(
      keys.map((key: { d?: string }) => key.d !== undefined),
      [true, false],
    )
    assert.equal(openKeyRing(directory, NOW_MS + 30 * DAY_MS - 1, false).published().length, 2)
    assert.equal(openKeyRing(directory, NOW_MS + 30 * DAY_MS, false).published().length, 1)
  })

  test('refuses a file that others can read, a published test key, and a missing file', (context) => {
    const directory = temporaryDirectory(context)
    openKeyRing(directory, NOW_MS, true)
    const path = join(directory, 'keys.json')
    chmodSync(path, 0o644)
    assert.throws(() => openKeyRing(directory, NOW_MS, false), KeyFileError)
    const file = JSON.parse(readFileSync(path, 'utf8'))
    file.keys[0].x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
    writeFileSync(path, JSON.stringify(file))
    chmodSync(path, 0o600)
    assert.throws(() => openKeyRing(directory, NOW_MS, false), /published test key/)
    assert.throws(() => openKeyRing(temporaryDirectory(context), NOW_MS, false), /missing/)
  })

  test('gives each deployment its own keys and references to people', (context) => {
    const directory = temporaryDirectory(context)
    const ring = openKeyRing(directory, NOW_MS, true)
    const other = openKeyRing(temporaryDirectory(context), NOW_MS, true)
    const again = openKeyRing(directory, NOW_MS, false)
    assert.deepEqual(
      [again.digest('human', 'x'), again.vault_key],
      [ring.digest('human', 'x'), ring.vault_key],
    )
    assert.notDeepEqual(ring.vault_key, other.vault_key)
    assert.notEqual(ring.digest('human', 'x'), other.digest('human', 'x'))
  })
})
