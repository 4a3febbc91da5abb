import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREDENTIAL_FAULTS, CredentialError, type CredentialFault, challenge } from '@deputize/protocol'
import { newApiKey } from '../../src/access/api-key.ts'
import { readAuthorization } from '../../src/access/authorization.ts'

describe('the Authorization header', () => {
  test('carries an API key or a token, by one of two schemes', () => {
    const { text } = newApiKey()
    assert.equal(readAuthorization(undefined), undefined)
    assert.deepEqual(readAuthorization(`Bearer ${text}`), { kind: 'api_key', text })
    assert.deepEqual(readAuthorization('bearer a.b.c'), {
      kind: 'token',
      scheme: 'Bearer',
      compact_jwt: 'a.b.c',
    })
    assert.deepEqual(readAuthorization('DPOP  a.b.c'), {
      kind: 'token',
      scheme: 'DPoP',
      compact_jwt: 'a.b.c',
    })
    // A key never comes with a proof: under the DPoP scheme it is read as a token.
    assert.equal(readAuthorization(`DPoP ${text}`)?.kind, 'token')
  })

  test('is malformed with anything else', () => {
    const others = [
      '',
      'Bearer',
      'Bearer ',
      'a.b.c',
      'Basic YTpi',
      'Bearer a b',
      'Bearer a, DPoP b',
      'Bearer\ta',
      ' Bearer a',
      'Bearer a\n',
      'Bearer "a"',
      'Bearer ä',
    ]
    for (const header of others)
      assert.throws(
        () => readAuthorization(header),
        (error) => error instanceof CredentialError && error.fault === 'credential_malformed',
        header,
      )
  })
})

describe('a challenge', () => {
  test('has the form of RFC 9449, figures 17, 18 and 24', () => {
    assert.equal(challenge('credential_missing'), 'DPoP algs="EdDSA ES256", Bearer')
    assert.equal(
      challenge('key_refused'),
      'Bearer error="invalid_token", error_description="The API key is unknown, deleted or expired; ask an operator for a new one", DPoP algs="EdDSA ES256"',
    )
    assert.match(
      challenge('nonce_required'),
      /^DPoP error="use_dpop_nonce", error_description="[^"]+", algs="EdDSA ES256"$/,
    )
    assert.match(challenge('proof_replayed'), /^DPoP error="invalid_dpop_proof"/)
    assert.match(challenge('proof_required'), /^DPoP error="invalid_token"/)
  })

  test('fits into a header for every fault', () => {
    for (const fault of Object.keys(CREDENTIAL_FAULTS) as CredentialFault[]) // the keys of the closed list
      assert.match(challenge(fault), /^(?:DPoP|Bearer) [\x20-\x7e]+$/)
  })
})
