import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import type { StopOrder } from '../../src/stop/stop-order.ts'
import { requestStop, watchStopRequests } from '../../src/stop/stop-requests.ts'

const DONE = { revoked_count: 1, already_stopped: false }
const ORDER: StopOrder = { target: { token: 'vat_root_x' }, reason: undefined }

/** A service that carries out every order. */
function aWatch(scope: TestScope) {
  const directory = temporaryDirectory(scope)
  const [orders, troubles]: [StopOrder[], unknown[]] = [[], []]
  const carryOut = async (order: StopOrder) => {
    orders.push(order)
    return DONE
  }
  const watch = watchStopRequests(directory, carryOut, (cause) => troubles.push(cause))
  scope.after(() => watch.close())
  return { directory, folder: join(directory, 'stop-requests'), orders, troubles }
}

describe('orders to stop', () => {
  test('that cannot be read are refused once, and do not delay others', async (t) => {
    const { directory, folder, orders, troubles } = aWatch(t)
    for (const [index, text] of ['', '{"target":', 'null', '{"target":{"tenant":"../x"}}'].entries())
      writeFileSync(join(folder, `bad-${index}.order`), text)
    assert.deepEqual(await requestStop(directory, ORDER), DONE)
    await eventually(
      'all are answered',
      async () => !readdirSync(folder).some((name) => name.endsWith('.order')),
    )
    assert.equal(orders.length, 1)
    assert.deepEqual(troubles, [])
    const { refusal } = JSON.parse(readFileSync(join(folder, 'bad-0.answer'), 'utf8'))
    assert.equal(refusal.code, 'invalid_request')
  })

  test('without an answer are not assumed to be carried out', async (t) => {
    const directory = temporaryDirectory(t)
    const folder = join(directory, 'stop-requests')
    const requested = requestStop(directory, ORDER)
    const [name = ''] = readdirSync(folder)
    rmSync(join(folder, name)) // as a service does that has no space for the answer, refusal or not
    await assert.rejects(requested, { name: 'StopFailed', is_unreachable: true })
  })

  test('are in a private folder', (t) => {
    const { folder } = aWatch(t)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
  })

  test('that root gives belong to the user of the service', {
    skip: process.getuid?.() !== 0 && 'only root can give a file to another user',
  }, async (t) => {
    const NOBODY = 65_534
    const directory = temporaryDirectory(t)
    const folder = join(directory, 'stop-requests')
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, NOBODY, NOBODY)
    const requested = requestStop(directory, ORDER)
    const [name = ''] = readdirSync(folder)
    assert.equal(statSync(join(folder, name)).uid, NOBODY)
    const watch = watchStopRequests(directory, async () => DONE, assert.ifError)
    t.after(() => watch.close())
    assert.deepEqual(await requested, DONE)
    assert.equal(existsSync(join(folder, name)), false)
  })
})
