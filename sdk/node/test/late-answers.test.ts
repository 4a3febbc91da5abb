import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Claims } from '@deputize/sdk'
import type { JwkSet } from '../src/verify/jwk-set.ts'
import { servedKeys } from '../src/verify/key-set.ts'
import { revocationFeed } from '../src/verify/revocation-feed.ts'

const aJwk = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid })

describe('a response that arrives after a newer one', () => {
  test('does not restore a key that was withdrawn in between', async () => {
    const [withdrawn, kept] = [aJwk('withdrawn'), aJwk('kept')]
    const before = { keys: [withdrawn, kept] }
    const late = Promise.withResolvers<JwkSet>()
    const answers = [Promise.resolve(before), late.promise, Promise.resolve({ keys: [kept] })]
    let now_ms = 1_800_000_000_000
    const keys = servedKeys(
      async () => answers.shift() ?? assert.fail('fetched once too often'),
      () => now_ms,
    )
    assert.equal((await keys.find('withdrawn'))?.kid, 'withdrawn')
    now_ms += 301_000
    const waiting = keys.find('kept')
    assert.equal(await keys.find('withdrawn'), undefined) // the caller that waited started a new fetch
    late.resolve(before)
    await waiting
    assert.equal(await keys.find('withdrawn'), undefined)
    assert.equal((await keys.find('kept'))?.kid, 'kept')
  })

  test('does not lift a later suspension or move a revocation back', () => {
    const claims = {
      jti: 'vat_root_1',
      sub: 'agent:bot',
      svc_human_ref: 'someone',
      svc_root_jti: 'vat_root_1',
      iat: 1_800_000_000,
    } as unknown as Claims // the claims that the feed reads
    const at = (second: number) => new Date((claims.iat + second) * 1000).toISOString()
    const part = (entry: object) => ({ entries: [entry], until: 1, has_more: false })
    const held = revocationFeed()
    held.add(part({ kind: 'suspended', agent_id: 'agent:bot', at: at(9) }))
    held.add(part({ kind: 'resumed', agent_id: 'agent:bot', at: at(5) }))
    assert.equal(held.status(claims), 'token_suspended')
    held.add(part({ kind: 'resumed', agent_id: 'agent:bot', at: at(12) }))
    assert.equal(held.status(claims), undefined)
    const ended = revocationFeed()
    ended.add(part({ kind: 'revoked', human_ref: 'someone', at: at(9) }))
    ended.add(part({ kind: 'revoked', human_ref: 'someone', at: at(-5) }))
    assert.equal(ended.status(claims), 'token_revoked')
  })
})
