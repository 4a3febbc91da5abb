import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { csrfTokenOf, isCsrfTokenOf } from '../../src/access/session-entries.ts'
import type { SessionPerson } from '../../src/access/sessions.ts'

const MINUTE = 60_000

const ada: SessionPerson = {
  tenant_id: 'default',
  human_ref: 'sha256:ada',
  human_refs: ['sha256:ada', 'sha256:ada-by-mail'],
  assurance_level: 'L2',
  amr: ['pwd', 'otp'],
  auth_time_ms: Date.parse('2026-12-31T23:59:00Z'),
  sign_on: { provider: 'company', groups: ['staff'], email_verified: true },
}

async function someSessions(context: TestContext) {
  const { accessControl, ...service } = await aTestApp(context, { access: 'keyed' })
  return { ...service, ...accessControl.sessions }
}

describe('a session', () => {
  test('is opened only by its secret', async (context) => {
    const { create, read, readByKey, directory } = await someSessions(context)
    const { secret, session } = await create(ada)
    assert.match(secret, /^[\w-]{43}$/)
    assert.deepEqual(await read(secret), session)
    assert.deepEqual(await readByKey(session.session_key), session)
    const { session_key, begun_index: _, started_at_ms: __, expires_at_ms: ___, ...person } = session
    assert.deepEqual(person, ada)
    for (const wrong of ['', session_key, secret.slice(1), `${secret}A`, `${secret.slice(0, -1)}!`])
      assert.equal(await read(wrong), undefined, wrong)
    for (const file of ['ephemeral.db', 'ephemeral.db-wal'])
      assert.ok(!readFileSync(join(directory, file)).includes(secret), 'the secret is not kept')
  })

  test('ends 30 minutes after its last use', async (context) => {
    const { create, read, touch, clock } = await someSessions(context)
    const { secret } = await create(ada)
    clock.advance(30 * MINUTE - 1)
    const session = await read(secret)
    assert.ok(session !== undefined)
    await touch(session)
    clock.advance(30 * MINUTE - 1)
    assert.ok((await read(secret)) !== undefined)
    clock.advance(1)
    assert.equal(await read(secret), undefined)
  })

  test('ends eight hours after its start, even if it is in use', async (context) => {
    const { create, read, touch, clock } = await someSessions(context)
    const { secret } = await create(ada)
    for (let minutes = 0; minutes < 8 * 60; minutes += 10) {
      const session = await read(secret)
      assert.ok(session !== undefined, `after ${minutes} minutes`)
      await touch(session)
      clock.advance(10 * MINUTE)
    }
    assert.equal(await read(secret), undefined)
  })

  test('is not rewritten on every request', async (context) => {
    const { create, read, touch, clock } = await someSessions(context)
    const { secret, session } = await create(ada)
    clock.advance(MINUTE - 1)
    await touch(session)
    assert.equal((await read(secret))?.expires_at_ms, session.expires_at_ms)
    clock.advance(1)
    await touch(session)
    assert.equal((await read(secret))?.expires_at_ms, session.expires_at_ms + MINUTE)
  })

  test('stays ended, even for a request that began earlier', async (context) => {
    const { create, read, touch, end, clock } = await someSessions(context)
    const { secret, session } = await create(ada)
    await end(session.session_key)
    clock.advance(5 * MINUTE)
    await touch(session)
    assert.equal(await read(secret), undefined)
  })

  test('can be ended with all other sessions of the same person, but of no other person', async (context) => {
    const { create, read, endOthers } = await someSessions(context)
    const [kept, lost, foreign] = await Promise.all([
      create(ada),
      create(ada),
      create({ ...ada, human_ref: 'sha256:grace', human_refs: ['sha256:grace'] }),
    ])
    assert.equal(await endOthers(ada.human_ref, kept.session.session_key), 1)
    assert.ok((await read(kept.secret)) !== undefined)
    assert.equal(await read(lost.secret), undefined)
    assert.ok((await read(foreign.secret)) !== undefined)
  })

  test('ends with its challenges and confirmed calls, and with nothing else of the person', async (context) => {
    const service = await someSessions(context)
    const { ephemeral } = service.context
    await service.create(ada)
    const kinds = ['challenge', 'step_up', 'capture_session', 'capture_claim', 'message'] as const
    const owner = ada.human_ref
    const expires_at_ms = service.clock() + MINUTE
    for (const kind of kinds) await ephemeral.add(kind, { key: 'one', value: '{}', owner, expires_at_ms })
    await service.endOthers(owner)
    const found = await Promise.all(kinds.map((kind) => ephemeral.get(kind, 'one')))
    assert.deepEqual(
      kinds.filter((_, index) => found[index] !== undefined),
      ['capture_session', 'capture_claim', 'message'],
    )
  })

  test('has a CSRF token that is derived from its secret', async (context) => {
    const { create } = await someSessions(context)
    const { secret, session, csrf_token } = await create(ada)
    const other = await create(ada)
    assert.equal(csrfTokenOf(secret), csrf_token)
    assert.ok(isCsrfTokenOf(secret, csrf_token))
    for (const wrong of [undefined, '', secret, session.session_key, other.csrf_token, `${csrf_token}A`])
      assert.ok(!isCsrfTokenOf(secret, wrong), wrong)
  })
})
