import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { addPasskey, aHouse, answerTo, aVisitor, type Credential, openPart, type Visitor } from './a-house.ts'

const scope = { after }
const LOGIN = '/v1/vat/auth/passkeys/login'
const STEP_UP = '/v1/vat/auth/step-up'

const refusal = ({ status, body }: Answer) => [status, body.code, body.reason]
const REFUSED = (reason: string) => [403, 'passkey_refused', reason]

/** Requests a sign-in challenge and answers it with the authenticator. */
async function aLogin({ api, page }: Visitor, changes: Record<string, unknown> = {}): Promise<Credential> {
  const { body } = await api('POST', `${LOGIN}/options`)
  return answerTo(page, { ...body.options, ...changes })
}

/** A grant for one call. */
async function aGrant({ api, page }: Visitor, deed: Record<string, unknown>): Promise<string> {
  const begun = await api('POST', `${STEP_UP}/options`, deed)
  assert.equal(begun.status, 200, JSON.stringify(begun.body))
  const response = await answerTo(page, begun.body.options)
  const { body } = await api('POST', `${STEP_UP}/verify`, { response })
  assert.match(body.grant, /^[A-Za-z0-9_-]{43}$/)
  return body.grant
}

function withClientData(credential: Credential, changes: Record<string, unknown>): Credential {
  const data = JSON.parse(Buffer.from(credential.response.clientDataJSON, 'base64url').toString())
  const clientDataJSON = Buffer.from(JSON.stringify({ ...data, ...changes })).toString('base64url')
  return { ...credential, response: { ...credential.response, clientDataJSON } }
}

/** Changes one byte of a member. */
function withByte(credential: Credential, member: 'authenticatorData' | 'signature', at: number): Credential {
  const bytes = Buffer.from(credential.response[member], 'base64url')
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return { ...credential, response: { ...credential.response, [member]: bytes.toString('base64url') } }
}

describe('passkeys, in a real browser with a virtual authenticator', async () => {
  const browser = await openBrowser(scope)
  const house = await aHouse(scope, ['approve', 'rate', 'issue_l2', 'revoke_many', 'erase', 'passkeys'])
  const { test: service, aar_id, approval_id, agent } = house
  const visitor = await aVisitor(browser, house)
  const { api, page, device } = visitor
  await addPasskey(visitor, 'Laptop')

  const rate = { operation: 'rateRecord', params: { id: aar_id }, body: { rating: 'flagged' } }
  const rateWith = (grant: string | undefined, body: unknown = rate.body, from: Visitor = visitor) =>
    from.api('POST', `/v1/vat/aar/${aar_id}/feedback`, body, {
      ...(grant !== undefined && { 'deputy-step-up': grant }),
    })

  describe('a sign-in', () => {
    test('starts a session, and its response works once', async () => {
      const response = await aLogin(visitor)
      const first = await api('POST', `${LOGIN}/verify`, { response })
      assert.equal(first.status, 200, JSON.stringify(first.body))
      assert.equal(first.body.human_ref, agent.human_ref)
      assert.deepEqual(refusal(await api('POST', `${LOGIN}/verify`, { response })), REFUSED('challenge'))
      await page.reload()
      assert.equal((await api('GET', '/v1/vat/auth/me')).body.csrf_token, first.body.csrf_token)
    })

    test('is refused after three minutes', async () => {
      const response = await aLogin(visitor)
      service.clock.advance(180_000)
      assert.deepEqual(refusal(await api('POST', `${LOGIN}/verify`, { response })), REFUSED('challenge'))
    })

    test('is refused from another site, however it was made', async () => {
      const forged = withClientData(await aLogin(visitor), { origin: 'https://attacker.example' })
      assert.deepEqual(refusal(await api('POST', `${LOGIN}/verify`, { response: forged })), REFUSED('origin'))
      const framed = withClientData(await aLogin(visitor), { crossOrigin: true })
      assert.deepEqual(refusal(await api('POST', `${LOGIN}/verify`, { response: framed })), REFUSED('origin'))
      const elsewhere = withByte(await aLogin(visitor), 'authenticatorData', 0)
      assert.deepEqual(
        refusal(await api('POST', `${LOGIN}/verify`, { response: elsewhere })),
        REFUSED('origin'),
      )

      // Another port of the same host has the same passkeys but is another origin.
      const neighbour = await aHouse(scope)
      const { body } = await api('POST', `${LOGIN}/options`)
      await page.goto(`${neighbour.url}/sign-in`)
      const lured = await answerTo(page, body.options)
      await page.goto(`${house.url}/me`)
      assert.deepEqual(refusal(await api('POST', `${LOGIN}/verify`, { response: lured })), REFUSED('origin'))
    })

    test('is refused with any byte changed', async () => {
      for (const changed of [
        withByte(await aLogin(visitor), 'signature', 20),
        withByte(await aLogin(visitor), 'authenticatorData', 36),
      ])
        assert.deepEqual(
          refusal(await api('POST', `${LOGIN}/verify`, { response: changed })),
          REFUSED('signature'),
        )
      const { body } = await api('GET', '/v1/vat/auth/passkeys')
      assert.equal(body.data[0].suspected_clone, false, 'an unsigned counter has no effect')
    })

    test('is refused from a device that did not verify its owner', async () => {
      await device.cdp.send('WebAuthn.setUserVerified', { authenticatorId: device.id, isUserVerified: false })
      const response = await aLogin(visitor, { userVerification: 'discouraged' })
      await device.cdp.send('WebAuthn.setUserVerified', { authenticatorId: device.id, isUserVerified: true })
      assert.deepEqual(refusal(await api('POST', `${LOGIN}/verify`, { response })), REFUSED('not_verified'))
    })

    test('is refused for another purpose', async () => {
      const response = await aLogin(visitor)
      assert.deepEqual(refusal(await api('POST', `${STEP_UP}/verify`, { response })), REFUSED('challenge'))
    })

    test('is refused with a reason when it is malformed', async () => {
      const response = { ...(await aLogin(visitor)) }
      const broken = { ...response, response: { ...response.response, clientDataJSON: 'bm90IGpzb24' } }
      assert.deepEqual(
        refusal(await api('POST', `${LOGIN}/verify`, { response: broken })),
        REFUSED('malformed'),
      )
    })
  })

  describe('a step-up', () => {
    test('binds the exact call in the challenge that the device signs', async () => {
      const { body } = await api('POST', `${STEP_UP}/options`, rate)
      const bound = JSON.parse(body.bound_text)
      assert.deepEqual(
        [bound.operation, bound.params, bound.body, bound.expires_at],
        [rate.operation, rate.params, rate.body, body.expires_at],
      )
      assert.equal(createHash('sha256').update(body.bound_text).digest('base64url'), body.options.challenge)
      assert.match(body.words[0], /^Rate as flagged: “calendar-bot” read calendar:events at /)
    })

    test('is required for the groups that the tenant names, and the refusal names the operation', async () => {
      const answer = await rateWith(undefined)
      assert.deepEqual(refusal(answer), [403, 'step_up_required', 'no_grant'])
      assert.equal(answer.body.operation, 'rateRecord')
      for (const [method, path, body] of [
        ['POST', `/v1/vat/approvals/${approval_id}/approve`, {}],
        ['POST', `/v1/vat/approvals/${approval_id}/deny`, {}],
        ['POST', '/v1/vat/approvals/batch', { items: [{ approval_id, decision: 'approved' }] }],
        ['POST', '/v1/vat/issue/l2', { agent_id: 'x', resources: ['calendar:events'], actions: ['read'] }],
        ['POST', '/v1/vat/revoke/human', { human_ref: agent.human_ref }],
        ['GET', `/v1/vat/humans/${agent.human_ref}/export`, undefined],
        ['DELETE', `/v1/vat/humans/${agent.human_ref}`, undefined],
        ['POST', '/v1/vat/auth/passkeys/register/options', undefined],
      ] as const)
        assert.equal((await api(method, path, body)).body.code, 'step_up_required', path)
    })

    test('is refused for calls that the person may not make, and for calls that need none', async () => {
      const foreign = await api('POST', `${STEP_UP}/options`, {
        ...rate,
        params: { id: 'aar_of_somebody_else' },
      })
      assert.deepEqual([foreign.status, foreign.body.code], [404, 'record_unknown'])
      for (const operation of ['getRecord', 'nothing', 'toString'])
        assert.equal(
          (await api('POST', `${STEP_UP}/options`, { operation })).body.errors[0].pointer,
          '/operation',
        )
      const stranger = await aVisitor(browser, house, `sha256:${'5'.repeat(64)}`)
      const theirs = await stranger.api('POST', `${STEP_UP}/options`, rate)
      assert.deepEqual([theirs.status, theirs.body.code], [404, 'record_unknown'])
      await stranger.context.close()
    })

    test('completed in another session is refused', async () => {
      const other = await aVisitor(browser, house)
      const { body } = await api('POST', `${STEP_UP}/options`, rate)
      const response = await answerTo(page, body.options)
      assert.deepEqual(
        refusal(await other.api('POST', `${STEP_UP}/verify`, { response })),
        REFUSED('challenge'),
      )
      assert.deepEqual(refusal(await api('POST', `${STEP_UP}/verify`, { response })), REFUSED('challenge'))
      await other.context.close()
    })

    test("with another person's passkey is refused", async () => {
      const other = await aVisitor(browser, house, `sha256:${'6'.repeat(64)}`)
      await addPasskey(other, 'Theirs')
      const { body } = await api('POST', `${STEP_UP}/options`, rate)
      const { allowCredentials: _, ...options } = body.options
      const theirs = await answerTo(other.page, options)
      assert.deepEqual(
        refusal(await api('POST', `${STEP_UP}/verify`, { response: theirs })),
        REFUSED('other_person'),
      )
      await other.context.close()
    })

    test('gives a grant that works for no other call or session', async () => {
      const spent = await aGrant(visitor, rate)
      assert.deepEqual(refusal(await rateWith(spent, { rating: 'approved' })), [
        403,
        'step_up_required',
        'grant',
      ])
      assert.deepEqual(refusal(await rateWith(spent)), [403, 'step_up_required', 'grant'])

      const other = await aVisitor(browser, house)
      const ours = await aGrant(visitor, rate)
      assert.equal((await rateWith(ours, rate.body, other)).body.reason, 'grant')
      await other.context.close()

      const late = await aGrant(visitor, rate)
      service.clock.advance(300_000)
      assert.equal((await rateWith(late)).body.reason, 'grant')
      assert.equal((await rateWith('made-up')).body.reason, 'grant')
      assert.equal((await service.reader.record(aar_id))?.rating, undefined)
    })

    test('gives a grant that works once, for the exact call', async () => {
      const grant = await aGrant(visitor, rate)
      assert.equal((await rateWith(grant)).status, 200)
      assert.equal((await rateWith(grant)).body.reason, 'grant')
      const { body } = await api('GET', `/v1/vat/aar/${aar_id}`)
      assert.deepEqual([body.rating, body.rater_assurance], ['flagged', 'L2+passkey'])
      const decided = await aGrant(visitor, { operation: 'approve', params: { id: approval_id }, body: {} })
      const approved = await api(
        'POST',
        `/v1/vat/approvals/${approval_id}/approve`,
        {},
        {
          'deputy-step-up': decided,
        },
      )
      assert.deepEqual([approved.status, approved.body.decided_by], [200, agent.human_ref])
    })
  })

  test('a passkey whose counter goes backwards is refused, marked as a suspected copy and reported', async () => {
    assert.equal((await api('POST', `${LOGIN}/verify`, { response: await aLogin(visitor) })).status, 200)
    await page.reload()
    const { credentials } = await device.cdp.send('WebAuthn.getCredentials', { authenticatorId: device.id })
    const [credential] = credentials
    assert.ok(credential !== undefined && credential.signCount > 1)
    const setCounter = async (signCount: number) => {
      const { authenticatorId, credentialId } = { authenticatorId: device.id, ...credential }
      await device.cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
      await device.cdp.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: { ...credential, signCount },
      })
    }
    const events = async () =>
      Number(
        /deputy_security_events_total\{code="passkey_refused"\} (\d+)/.exec(
          (await api('GET', '/metrics')).body,
        )?.[1],
      )
    const before = await events()
    await setCounter(1)
    const copied = await api('POST', `${LOGIN}/verify`, { response: await aLogin(visitor) })
    assert.deepEqual(refusal(copied), REFUSED('suspected_clone'))
    assert.equal(await events(), before + 1)
    const listed = await api('GET', '/v1/vat/auth/passkeys')
    assert.deepEqual([listed.body.data[0].name, listed.body.data[0].suspected_clone], ['Laptop', true])

    await setCounter(1_000)
    const again = await api('POST', `${LOGIN}/verify`, { response: await aLogin(visitor) })
    assert.deepEqual(refusal(again), REFUSED('suspected_clone'))
    assert.deepEqual(refusal(await api('POST', `${STEP_UP}/options`, rate)), [
      403,
      'step_up_required',
      'no_passkey',
    ])
    await page.reload()
    await openPart(page, 'passkeys')
    await page.getByText('This passkey may have been copied').waitFor()
  })
})
