import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type KeyPurpose, signCompact, verifySignedToken } from '@deputize/protocol'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { KeyFileError } from '../../src/keys/key-document.ts'
import { type KeyRing, openKeyRing } from '../../src/keys/key-ring.ts'

const NOW_MS = Date.parse('2027-01-01T00:00:00Z')
const DAY_MS = 86_400_000

async function aSignedToken({ active }: KeyRing, now_ms: number): Promise<string> {
  const key = active('tokens')
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
  test('makes its file readable only by its owner, and loads the same keys again', (context) => {
    const directory = temporaryDirectory(context)
    const first = openKeyRing(directory, NOW_MS, true)
    assert.equal(statSync(join(directory, 'keys.json')).mode & 0o777, 0o600)
    const second = openKeyRing(directory, NOW_MS, false)
    assert.equal(second.active('tokens').kid, first.active('tokens').kid)
    assert.equal(second.digest('human', 'x'), first.digest('human', 'x'))
  })

  test('signs with a new key after rotation while tokens of the old one still verify', async (context) => {
    const directory = temporaryDirectory(context)
    const ring = openKeyRing(directory, NOW_MS, true)
    const old = await aSignedToken(ring, NOW_MS)
    await ring.rotate(NOW_MS)
    const fresh = await aSignedToken(ring, NOW_MS)
    for (const token of [old, fresh]) assert.equal(verify(token, ring, NOW_MS).sub, 'agent:x')
    assert.notEqual(old.split('.')[0], fresh.split('.')[0])
    const reopened = openKeyRing(directory, NOW_MS, false)
    assert.equal(verify(old, reopened, NOW_MS).sub, 'agent:x')
  })

  test("deletes a retired key's private part at once, and the key after its last token expires", async (context) => {
    const directory = temporaryDirectory(context)
    const ring = openKeyRing(directory, NOW_MS, true)
    await ring.rotate(NOW_MS)
    const statuses = (keys: ReturnType<KeyRing['list']>) =>
      keys.filter(({ purpose }) => purpose === 'tokens').map(({ status }) => status)
    assert.deepEqual(statuses(ring.list()), ['active', 'next', 'retired'])
    const { keys } = JSON.parse(readFileSync(join(directory, 'keys.json'), 'utf8'))
    for (const key of keys) assert.equal(key.d === undefined, key.retired_at !== undefined)
    assert.equal(openKeyRing(directory, NOW_MS + 30 * DAY_MS - 1, false).published().length, 9)
    assert.equal(openKeyRing(directory, NOW_MS + 30 * DAY_MS, false).published().length, 6)
  })

  test('publishes the next key of each purpose before it signs', async (context) => {
    const ring = openKeyRing(temporaryDirectory(context), NOW_MS, true)
    for (let round = 0; round < 3; round += 1) {
      const { kids, activate } = ring.prepareRotation()
      const published = new Set(ring.published().map(({ kid }) => kid))
      for (const kid of Object.values(kids)) assert.ok(published.has(kid))
      await activate(NOW_MS + round)
      for (const [purpose, kid] of Object.entries(kids))
        assert.equal(ring.active(purpose as KeyPurpose).kid, kid)
    }
    // The first next key was published with the deployment. A later one needs time to reach every verifier.
    assert.equal(ring.prepareRotation().ready_ms, NOW_MS + 2 + 6 * 60_000)
  })

  test('uses a key for only one purpose', async (context) => {
    const ring = openKeyRing(temporaryDirectory(context), NOW_MS, true)
    const claims = {
      iss: 'me',
      sub: 'agent:x',
      jti: 'vat_root_1',
      iat: NOW_MS / 1000,
      exp: NOW_MS / 1000 + 60,
    }
    for (const purpose of ['status_lists', 'statements'] as const) {
      const { kid, sign } = ring.active(purpose)
      const token = await signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid }, claims, sign)
      assert.throws(() => verify(token, ring, NOW_MS), { code: 'unknown_key' })
    }
  })

  test('unpublishes a withdrawn key, signs with the next one, and accepts earlier tokens', async (context) => {
    const directory = temporaryDirectory(context)
    const ring = openKeyRing(directory, NOW_MS, true)
    const stolen = ring.active('tokens').kid
    const { tokens: next } = ring.prepareRotation().kids
    const early = await aSignedToken(ring, NOW_MS - 10_000)
    const late = await aSignedToken(ring, NOW_MS)
    await ring.withdraw(stolen, NOW_MS - 5_000, NOW_MS)
    for (const one of [ring, openKeyRing(directory, NOW_MS, false)]) {
      assert.equal(one.active('tokens').kid, next)
      assert.equal(
        one.published().some(({ kid }) => kid === stolen),
        false,
      )
      assert.equal(verify(early, one, NOW_MS).sub, 'agent:x')
      assert.throws(() => verify(late, one, NOW_MS), { code: 'withdrawn_key' })
    }
    const text = readFileSync(join(directory, 'keys.json'), 'utf8')
    const [withdrawn] = JSON.parse(text).keys.filter(({ kid }: { kid: string }) => kid === stolen)
    assert.equal(withdrawn.d, undefined)
    await ring.withdraw(stolen, NOW_MS, NOW_MS) // a later time does not revive tokens
    assert.throws(() => verify(late, ring, NOW_MS), { code: 'withdrawn_key' })
    await ring.withdraw(stolen, NOW_MS - 20_000, NOW_MS)
    assert.throws(() => verify(early, ring, NOW_MS), { code: 'withdrawn_key' })
    assert.equal(ring.active('tokens').kid, next)
  })

  test('replaces a next key that is withdrawn', async (context) => {
    const ring = openKeyRing(temporaryDirectory(context), NOW_MS, true)
    const active = ring.active('statements').kid
    const { statements: next } = ring.prepareRotation().kids
    await ring.withdraw(next, NOW_MS, NOW_MS)
    assert.equal(ring.active('statements').kid, active)
    assert.notEqual(ring.prepareRotation().kids.statements, next)
  })

  test('adds keys for every purpose to the file of an early version', (context) => {
    const directory = temporaryDirectory(context)
    const path = join(directory, 'keys.json')
    openKeyRing(directory, NOW_MS, true)
    const { keys, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
    const [{ purpose: _, active_from: __, kid, ...early }] = keys
    const early_kid = `open-${kid}`
    writeFileSync(path, JSON.stringify({ ...rest, version: 1, keys: [{ kid: early_kid, ...early }] }))
    const ring = openKeyRing(directory, NOW_MS, false)
    assert.equal(ring.active('tokens').kid, early_kid)
    assert.equal(ring.published().length, 6)
    assert.equal(ring.prepareRotation().ready_ms, NOW_MS + 6 * 60_000)
    const again = openKeyRing(directory, NOW_MS, false)
    assert.deepEqual(again.list(), ring.list())
  })

  test('refuses a file in which a key has the name of another', (context) => {
    const directory = temporaryDirectory(context)
    const path = join(directory, 'keys.json')
    openKeyRing(directory, NOW_MS, true)
    const text = readFileSync(path, 'utf8')
    const [{ kid }] = JSON.parse(text).keys
    writeFileSync(path, text.replace(kid, 'open-another'))
    assert.throws(() => openKeyRing(directory, NOW_MS, false), {
      name: 'KeyFileError',
      message: /names a signing key open-another, but the thumbprint of that key is/,
    })
  })

  test('refuses a file that other users can read, a published test key, and a missing file', (context) => {
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

  test('gives each deployment its own keys and its own refs for people', (context) => {
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
