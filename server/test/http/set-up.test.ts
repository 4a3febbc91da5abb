import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AuthorityError } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { firstOperator } from '../../src/access/access-control.ts'
import { PUBLIC_CALLER } from '../../src/access/caller.ts'
import { newSetUp } from '../../src/access/set-up.ts'
import { callerOf } from '../some-callers.ts'
import { aKeyedApp } from './a-keyed-app.ts'

const DAY_MS = 24 * 3_600_000

/** All key ids, read without access control. */
async function keyIds({ reader }: TestApp): Promise<string[]> {
  const page = await reader.registry.list('api_key', {}, { limit: 200, before: undefined })
  return page.entries.map(({ id }) => id)
}

describe('the first operator', () => {
  test('is created once by 64 concurrent calls with the secret', async (context) => {
    const service = await aTestApp(context, { access: 'keyed' })
    const setup_secret = service.accessControl.setup?.secret
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => service.post('/v1/vat/setup', { setup_secret })),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      assert.deepEqual([status, body.code], [409, 'already_set_up'])
    assert.equal((await keyIds(service)).length, 1)
  })

  test('is created once on several nodes, each with its own secret', async (context) => {
    const { context: operations, ...service } = await aTestApp(context, { access: 'keyed' })
    const nodes = Array.from({ length: 8 }, () => {
      const setup = newSetUp()
      const accessControl = { ...operations.accessControl, setup }
      const call = callerOf({ context: { ...operations, accessControl } }, PUBLIC_CALLER)
      return () => call('setUp', { body: { setup_secret: setup.secret } })
    })
    const outcomes = await Promise.allSettled(nodes.map((setUp) => setUp()))
    const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.key_id] : []))
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.equal(made.length, 1)
    for (const error of refused) assert.ok(error instanceof AuthorityError && error.code === 'already_set_up')
    const { entries } = await service.reader.registry.list('api_key', {}, { limit: 200, before: undefined })
    assert.deepEqual(
      entries.map(({ id }) => id),
      made,
    )
  })

  test('cannot be created again with the same secret, even if no operator is left', async (context) => {
    const { test, operator, anonymous, withKey } = await aKeyedApp(context)
    const [key_id] = await keyIds(test)
    assert.equal((await operator.call('DELETE', `/v1/vat/keys/${key_id}`)).status, 200)
    assert.deepEqual(await keyIds(test), [])
    const again = await anonymous.post('/v1/vat/setup', { setup_secret: test.accessControl.setup?.secret })
    assert.deepEqual([again.status, again.body.code], [409, 'already_set_up'])
    assert.equal((await withKey('dk_none').get('/v1/vat/keys')).status, 401)
  })

  test('is no longer found once its key has expired, so a restart allows a new one', async (context) => {
    const { test } = await aKeyedApp(context)
    const { reader, clock } = test
    assert.deepEqual(await firstOperator(reader.registry, clock()), (await keyIds(test))[0])
    assert.notEqual(await firstOperator(reader.registry, clock() + 89 * DAY_MS), undefined)
    assert.equal(await firstOperator(reader.registry, clock() + 91 * DAY_MS), undefined)
  })

  test('is not replaced by a key of another role or another tenant', async (context) => {
    const { test, operator, key } = await aKeyedApp(context)
    const [first] = await keyIds(test)
    await operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    await key('acme', 'operator')
    await key('default', 'developer')
    await operator.call('DELETE', `/v1/vat/keys/${first}`)
    assert.equal(await firstOperator(test.reader.registry, test.clock()), undefined)
  })
})
