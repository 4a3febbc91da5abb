import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Claims } from '@deputize/sdk'
import { servedKeys } from '../src/key-set.ts'
import { revocationFeed } from '../src/standing.ts'
import type { JwkSet } from '../src/verify-token.ts'

const aJwk = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid })

describe('an answer that comes after a newer one', () => {
  test('does not bring back a key that was withdrawn meanwhile', async () => {
    const [withdrawn, kept] = [aJwk('withdrawn'), aJwk('kept')]
    const before = { keys: [withdrawn, kept] }
    const late = Promise.withResolvers<JwkSet>()
    const answers = [Promise.resolve(before), late.promise, Promise.resolve({ keys: [kept] })]
    let now_ms = 1_800_000_000_000
    const keys = servedKeys(
      async () => answers.shift() ?? assert.fail('asked once more'),
      () => now_ms,
    )
    assert.equal((await keys.find('withdrawn'))?.kid, 'withdrawn')
    now_ms += 301_000
    const waiting = keys.find('kept')
    assert.equal(await keys.find('withdrawn'), undefined) // whoever waited for the other began anew
    late.resolve(before)
    await waiting
    assert.equal(await keys.find('withdrawn'), undefined)
    assert.equal((await keys.find('kept'))?.kid, 'kept')
  })

  test('does not resume what was suspended since, nor shorten what was revoked', () => {
    const claims = {
      jti: 'vat_root_1',
      sub: 'agent:bot',
      svc_human_ref: 'someone',
      svc_root_jti: 'vat_root_1',
      iat: 1_800_000_000,
    } as unknown as Claims // all that the feed looks at
    const at = (second: number) => new Date((claims.iat + second) * 1000).toISOString()
    const part = (entry: object) => ({ entries: [entry], until: 1, has_more: false })
    const held = revocationFeed()
    held.take(part({ kind: 'suspended', agent_id: 'agent:bot', at: at(9) }))
    held.take(part({ kind: 'resumed', agent_id: 'agent:bot', at: at(5) }))
    assert.equal(held.standing(claims), 'token_suspended')
    held.take(part({ kind: 'resumed', agent_id: 'agent:bot', at: at(12) }))
    assert.equal(held.standing(claims), undefined)
    const ended = revocationFeed()
    ended.take(part({ kind: 'revoked', human_ref: 'someone', at: at(9) }))
    ended.take(part({ kind: 'revoked', human_ref: 'someone', at: at(-5) }))
    assert.equal(ended.standing(claims), 'token_revoked')
  })
})
