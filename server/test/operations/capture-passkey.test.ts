import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { type AssertionResponse, canonicalJson, type RegistrationResponse } from '@deputize/protocol'
import { aDevice, type Device } from '@deputize/testing/a-device.ts'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { type Caller, LOCAL_CALLER } from '../../src/access/caller.ts'
import {
  type CaptureBinding,
  captureChallenge,
  capturePasskeyOptions,
  provesPasskey,
} from '../../src/operations/verification/biometric-sessions/capture-passkey.ts'
import { captureParty } from '../../src/verification/passkeys.ts'
import { aHuman } from '../some-callers.ts'

const PERSON = { tenant_id: 'default', human_ref: `sha256:${'a'.repeat(64)}` }
const OTHER = { tenant_id: 'default', human_ref: `sha256:${'b'.repeat(64)}` }
const BINDING: CaptureBinding = {
  session_id: 'vs_1',
  nonce: 'bm9uY2U',
  media: ['00', '11'],
  request: 'ZGlnZXN0',
}
const REQUIRED = { person: PERSON, caller: LOCAL_CALLER, is_needed: false }

function challengeOf(binding: CaptureBinding) {
  return { challenge: captureChallenge(binding).toString('base64url') }
}

function created(device: Device, binding = BINDING): RegistrationResponse {
  return device.create(challengeOf(binding)) as unknown as RegistrationResponse // the device builds the whole response
}

function signed(device: Device, binding = BINDING, counter = 0): AssertionResponse {
  return device.get(challengeOf(binding), { counter }) as unknown as AssertionResponse // as above
}

/** A service with a person who registered a passkey when they enrolled. */
async function enrolled(scope: TestContext): Promise<{ service: TestApp; device: Device }> {
  const service = await aTestApp(scope)
  const device = aDevice(service.context.public_url())
  assert.equal(await provesPasskey(created(device), BINDING, REQUIRED, service.context), true)
  return { service, device }
}

const refused = (reason: string) => ({ code: 'passkey_refused', members: { reason } })
const required = (reason: string) => ({ code: 'passkey_required', members: { reason } })

describe('the passkey next to a capture', () => {
  test('signs the session, its nonce, the media and the token request', () => {
    const expected = createHash('sha256').update(canonicalJson(BINDING)).digest('base64url')
    assert.equal(captureChallenge(BINDING).toString('base64url'), expected)
    const changes = [{ session_id: 'vs_2' }, { nonce: 'b' }, { media: ['11', '00'] }, { request: 'b' }]
    const challenges = changes.map((change) => challengeOf({ ...BINDING, ...change }).challenge)
    assert.equal(new Set([expected, ...challenges]).size, 5)
  })

  test('is created with the enrolment in open mode, and used after that', async (context) => {
    const { service, device } = await enrolled(context)
    const next = { ...BINDING, session_id: 'vs_2' }
    assert.equal(await provesPasskey(signed(device, next), next, REQUIRED, service.context), true)
  })

  test('does not count for another capture, another person or another device', async (context) => {
    const { service, device } = await enrolled(context)
    const next = { ...BINDING, media: ['22'] }
    await assert.rejects(provesPasskey(signed(device), next, REQUIRED, service.context), {
      code: 'passkey_refused',
    })
    await assert.rejects(
      provesPasskey(signed(device), BINDING, { ...REQUIRED, person: OTHER }, service.context),
      refused('other_person'),
    )
    const stranger = aDevice(service.context.public_url())
    await assert.rejects(
      provesPasskey(signed(stranger), BINDING, REQUIRED, service.context),
      refused('credential'),
    )
  })

  test('is refused permanently after its counter goes backwards', async (context) => {
    const { service, device } = await enrolled(context)
    await provesPasskey(signed(device, BINDING, 5), BINDING, REQUIRED, service.context)
    for (const counter of [4, 6])
      await assert.rejects(
        provesPasskey(signed(device, BINDING, counter), BINDING, REQUIRED, service.context),
        refused('suspected_clone'),
      )
  })

  test('is required by default, and otherwise where it replaces a step', async (context) => {
    const { service } = await enrolled(context)
    await assert.rejects(provesPasskey(undefined, BINDING, REQUIRED, service.context), required('no_answer'))
    const optional = {
      ...service.context,
      verification: { ...service.context.verification, l3_passkey: 'optional' },
    } as const
    assert.equal(await provesPasskey(undefined, BINDING, REQUIRED, optional), false)
    await assert.rejects(
      provesPasskey(undefined, BINDING, { ...REQUIRED, is_needed: true }, optional),
      required('no_answer'),
    )
  })

  test("can't be replaced by a new one during a capture", async (context) => {
    const { service } = await enrolled(context)
    const thief = aDevice(service.context.public_url())
    await assert.rejects(
      provesPasskey(created(thief), BINDING, REQUIRED, service.context),
      refused('not_first'),
    )
    await assert.rejects(
      provesPasskey(
        created(thief),
        BINDING,
        { ...REQUIRED, person: OTHER, caller: undefined },
        service.context,
      ),
      required('no_passkey'),
    )
  })

  test('that was registered in open mode does not count in keyed mode', async (context) => {
    const { service, device } = await enrolled(context)
    const keyed = { ...service.context, access: 'keyed' } as const
    await assert.rejects(provesPasskey(signed(device), BINDING, REQUIRED, keyed), refused('credential'))
  })

  test('is created in keyed mode only for a person who has just signed in', async (context) => {
    const service = await aTestApp(context)
    const keyed = { ...service.context, access: 'keyed' } as const
    const offer = (caller: Caller) => capturePasskeyOptions(BINDING, 'enroll', PERSON, caller, keyed)
    const person = aHuman('default', PERSON.human_ref)
    const now_ms = service.clock()
    assert.equal((await offer({ ...person, auth_time_ms: now_ms })).ceremony, 'create')
    await assert.rejects(offer({ ...person, auth_time_ms: now_ms - 3_600_000 }), { code: 'sign_on_too_old' })
  })

  test("has options for the person's passkeys, or for a first one", async (context) => {
    const { service, device } = await enrolled(context)
    const offer = (person: typeof PERSON, purpose: 'enroll' | 'verify') =>
      capturePasskeyOptions(BINDING, purpose, person, LOCAL_CALLER, service.context)
    const { ceremony, options } = await offer(PERSON, 'verify')
    assert.equal(ceremony, 'get')
    assert.equal(options.challenge, challengeOf(BINDING).challenge)
    assert.deepEqual(
      (options.allowCredentials as { id: string }[]).map(({ id }) => id), // the form that the library returns
      [device.id],
    )
    assert.equal((await offer(OTHER, 'enroll')).ceremony, 'create')
    await assert.rejects(offer(OTHER, 'verify'), required('no_passkey'))
  })

  test('belongs to localhost if the service has only a loopback address', () => {
    for (const address of ['http://127.0.0.1:8420', 'http://[::1]:8420']) {
      const { origin, rp_id } = captureParty(address, () => false)
      assert.deepEqual([origin, rp_id], ['http://localhost:8420', 'localhost'])
    }
    assert.throws(() => captureParty('https://10.0.0.1', () => false), refused('no_domain'))
  })
})
