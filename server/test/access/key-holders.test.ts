import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { apiKeyText, newApiKey, secretHash } from '../../src/access/api-key.ts'
import {
  type ApiKeyDocument,
  type KeyEntry,
  openKeyHolders,
  REMEMBERED_AMONG_NODES_MS,
  REMEMBERED_KEYS,
} from '../../src/access/key-holders.ts'

const PEPPER = createSecretKey(new Uint8Array(32).fill(1))

/** A registry that counts its lookups. */
function aRegistry(remember_ms = Number.POSITIVE_INFINITY) {
  const clock = manualClock()
  const entries = new Map<string, KeyEntry>()
  const asked: string[] = []
  const holders = openKeyHolders({
    pepper: PEPPER,
    clock,
    remember_ms,
    async lookup(key_id) {
      asked.push(key_id)
      return entries.get(key_id)
    },
  })

  function enter(changes: Partial<ApiKeyDocument> = {}, tenant_id = 'default') {
    const key = newApiKey()
    const document: ApiKeyDocument = {
      name: 'a key',
      role: 'developer',
      secret_hash: secretHash(PEPPER, key.secret),
      created_at: new Date(clock()).toISOString(),
      expires_at: new Date(clock() + 60_000).toISOString(),
      created_by: 'key:first',
      ...changes,
    }
    entries.set(key.key_id, { tenant_id, document: JSON.stringify(document) })
    return key
  }

  return { clock, entries, asked, holders, enter, caller: holders.caller }
}

/** The text of a key with this id and another secret. */
function wrongSecret(key_id: string): string {
  return apiKeyText({ key_id, secret: newApiKey().secret })
}

describe('the holder of an API key', () => {
  test('has the role, the tenant and the audience of the key', async () => {
    const { enter, caller } = aRegistry()
    const key = enter({ role: 'resource_server', audience: 'https://shop.example' }, 'acme')
    assert.deepEqual(await caller(key.text), {
      role: 'resource_server',
      tenant_id: 'acme',
      name: `key:${key.key_id}`,
      key_id: key.key_id,
      owner_id: key.key_id,
      audience: 'https://shop.example',
    })
  })

  test('is unknown with a wrong secret, an unknown id, an expired or a removed key', async () => {
    const { clock, entries, holders, enter, caller } = aRegistry()
    const key = enter()
    assert.equal(await caller(wrongSecret(key.key_id)), undefined)
    assert.equal(await caller(newApiKey().text), undefined)
    clock.advance(59_999)
    assert.equal((await caller(key.text))?.key_id, key.key_id)
    clock.advance(1)
    assert.equal(await caller(key.text), undefined)

    const removed = enter()
    assert.notEqual(await caller(removed.text), undefined)
    entries.set(removed.key_id, { tenant_id: 'default', document: undefined })
    holders.forget(removed.key_id)
    assert.equal(await caller(removed.text), undefined)
  })

  test('causes no lookup if the key is mistyped', async () => {
    const { asked, enter, caller } = aRegistry()
    const { text } = enter()
    const mistyped = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
    for (const bad of [mistyped, 'dk_', '', text.slice(1)]) assert.equal(await caller(bad), undefined)
    assert.deepEqual(asked, [])
  })

  test('is looked up once for any number of concurrent and later calls', async () => {
    const { asked, enter, caller } = aRegistry()
    const { key_id, text } = enter()
    await Promise.all(Array.from({ length: 50 }, () => caller(text)))
    await caller(text)
    assert.deepEqual(asked, [key_id])
  })

  test('costs the same work for an unknown id and for a wrong secret', async () => {
    const { asked, enter, caller } = aRegistry()
    const { key_id } = enter()
    const wrong = wrongSecret(key_id)
    const unknown = newApiKey()
    for (const text of [wrong, unknown.text, wrong, unknown.text]) assert.equal(await caller(text), undefined)
    assert.deepEqual(asked, [key_id, unknown.key_id])

    const ratioOfMedians = async () => {
      const times: [number[], number[]] = [[], []]
      for (let round = 0; round < 3_000; round += 1)
        for (const [kind, text] of [wrong, unknown.text].entries()) {
          const began = performance.now()
          await caller(text)
          times[kind]?.push(performance.now() - began)
        }
      const [of_wrong = 0, of_unknown = 1] = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1])
      return of_wrong / of_unknown
    }
    // Without a comparison, unknown ids would be several times as fast in every sample. Load spoils only some samples.
    const ratios: number[] = []
    const isAlike = () => ratios.some((ratio) => ratio > 0.67 && ratio < 1.5)
    while (ratios.length < 5 && !isAlike()) ratios.push(await ratioOfMedians())
    assert.ok(isAlike(), `ratios of the medians: ${ratios.join(', ')}`)
  })

  test('is forgotten within two seconds when another node removes the key', async () => {
    const { clock, entries, asked, enter, caller } = aRegistry(REMEMBERED_AMONG_NODES_MS)
    const { key_id, text } = enter()
    assert.notEqual(await caller(text), undefined)
    entries.set(key_id, { tenant_id: 'default', document: undefined })
    clock.advance(1_999)
    assert.notEqual(await caller(text), undefined)
    clock.advance(1)
    assert.equal(await caller(text), undefined)
    assert.deepEqual(asked, [key_id, key_id])
  })

  test('is looked up again when the clock is set back', async () => {
    const { clock, asked, enter, caller } = aRegistry(REMEMBERED_AMONG_NODES_MS)
    const { text } = enter()
    await caller(text)
    clock.advance(-1_000)
    await caller(text)
    assert.equal(asked.length, 2)
  })

  test('is not cached by a lookup that was in progress when the key was removed', async () => {
    const { key_id, text, secret } = newApiKey()
    const document: ApiKeyDocument = {
      name: 'a key',
      role: 'operator',
      secret_hash: secretHash(PEPPER, secret),
      created_at: '2027-01-01T00:00:00Z',
      expires_at: '2027-12-31T00:00:00Z',
      created_by: 'key:first',
    }
    const held: KeyEntry = { tenant_id: 'default', document: JSON.stringify(document) }
    const old = Promise.withResolvers<KeyEntry>()
    const answers: Promise<KeyEntry | undefined>[] = [old.promise, Promise.resolve(undefined)]
    const holders = openKeyHolders({
      pepper: PEPPER,
      clock: manualClock(),
      remember_ms: Number.POSITIVE_INFINITY,
      lookup: () => answers.shift() ?? Promise.resolve(undefined),
    })
    const early = holders.caller(text)
    holders.forget(key_id)
    old.resolve(held)
    assert.equal((await early)?.key_id, key_id)
    assert.equal(await holders.caller(text), undefined)
  })

  test('is looked up again after the registry fails', async () => {
    const { enter, entries } = aRegistry()
    const { key_id, text } = enter()
    let is_away = true
    const holders = openKeyHolders({
      pepper: PEPPER,
      clock: manualClock(),
      remember_ms: Number.POSITIVE_INFINITY,
      async lookup() {
        if (is_away) throw new Error('away')
        return entries.get(key_id)
      },
    })
    await assert.rejects(holders.caller(text), /away/)
    is_away = false
    assert.equal((await holders.caller(text))?.key_id, key_id)
  })

  test('is never evicted by guesses, and the cache of guesses is bounded', async () => {
    const { asked, enter, caller } = aRegistry()
    const mine = enter()
    await caller(mine.text)
    const first_guess = newApiKey()
    await caller(first_guess.text)
    for (let guess = 0; guess < REMEMBERED_KEYS; guess += 1) await caller(newApiKey().text)
    asked.length = 0
    await caller(mine.text)
    assert.deepEqual(asked, [])
    await caller(first_guess.text)
    assert.deepEqual(asked, [first_guess.key_id])
  })

  test('is a bug if its document has no known role', async () => {
    const { entries, enter, caller } = aRegistry()
    const { key_id, text, secret } = enter()
    for (const role of ['human', 'agent', 'toString', undefined]) {
      const document = { role, secret_hash: secretHash(PEPPER, secret), expires_at: '2028-01-01T00:00:00Z' }
      entries.set(key_id, { tenant_id: 'default', document: JSON.stringify(document) })
      await assert.rejects(caller(text), /document of an unknown shape/)
    }
  })
})
