import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { keyRing } from '../../src/keys/key-ring.ts'
import { readMasterKey } from '../../src/keys/master-key.ts'
import { openSharedKeys, type SharedKeysOptions } from '../../src/keys/shared-keys.ts'
import { connectionPool, openConnection } from '../../src/store/postgres/connect.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { sealedKeysTable } from '../../src/store/postgres/sealed-keys.ts'

const NOW_MS = Date.parse('2027-01-01T00:00:00Z')

async function aDeployment(context: TestContext) {
  const url = await aDatabase(context)
  const client = await openConnection(url, 'test', () => {})
  await migrate(client)
  await client.end()
  const pool = connectionPool(url, 'test', 4)
  context.after(() => pool.end())
  const place = sealedKeysTable(pool, 'the database')

  /** A node with its own data directory. */
  async function aNode(options: Partial<SharedKeysOptions> = {}) {
    const data_dir = options.data_dir ?? temporaryDirectory(context)
    const shared = await openSharedKeys({
      place,
      data_dir,
      master_key_file: undefined,
      log_origin: undefined,
      now_ms: NOW_MS,
      ...options,
    })
    return { ...shared, data_dir, ring: keyRing(shared.kept, shared.storage, () => NOW_MS) }
  }
  return { url, aNode }
}

describe('shared keys', () => {
  test('are created once, sealed, and opened by every node with the master key', async (context) => {
    const { url, aNode } = await aDeployment(context)
    const first = await aNode()
    assert.equal(first.is_new, true)
    assert.equal(first.made_master_key, join(first.data_dir, 'master.key'))
    assert.equal(statSync(join(first.data_dir, 'master.key')).mode & 0o777, 0o600)
    const second = await aNode({ master_key_file: join(first.data_dir, 'master.key') })
    assert.deepEqual([second.is_new, second.made_master_key], [false, undefined])
    for (const name of ['instance', 'vault_key'] as const)
      assert.deepEqual(second.ring[name], first.ring[name])
    assert.equal(second.ring.active('tokens').kid, first.ring.active('tokens').kid)
    assert.deepEqual(second.ring.log.key, first.ring.log.key)
    const [row] = await command(url, 'SELECT sealed FROM sealed_keys')
    for (const secret of [first.ring.instance, first.ring.active('tokens').kid, first.kept.document.secret])
      assert.equal(row.sealed.includes(secret), false)
  })

  test('are refused without the right master key, with a message that explains what to do', async (context) => {
    const { aNode } = await aDeployment(context)
    const first = await aNode()
    const data_dir = temporaryDirectory(context)
    await assert.rejects(aNode({ data_dir }), /master key is missing\. Copy master\.key from another node/)
    assert.equal(existsSync(join(data_dir, 'master.key')), false)
    const other = join(data_dir, 'other.key')
    writeFileSync(other, Buffer.alloc(32, 7).toString('base64url'), { mode: 0o600 })
    await assert.rejects(aNode({ master_key_file: other }), /does not open the keys/)
    writeFileSync(other, 'short')
    await assert.rejects(aNode({ master_key_file: other }), /does not hold a master key/)
    copyFileSync(join(first.data_dir, 'master.key'), other)
    chmodSync(other, 0o644)
    await assert.rejects(aNode({ master_key_file: other }), /can be read by others/)
    await assert.rejects(aNode({ log_origin: 'other.example', data_dir: first.data_dir }), /can't be renamed/)
  })

  test('are created by one of several nodes that start on an empty database at once', async (context) => {
    const { aNode } = await aDeployment(context)
    const master_key_file = join(temporaryDirectory(context), 'master.key')
    writeFileSync(master_key_file, Buffer.alloc(32, 7).toString('base64url'), { mode: 0o600 })
    const nodes = await Promise.all(Array.from({ length: 4 }, () => aNode({ master_key_file })))
    assert.equal(nodes.filter(({ is_new }) => is_new).length, 1)
    assert.equal(new Set(nodes.map(({ ring }) => ring.instance)).size, 1)
  })

  test('leave no master key on a node that lost the race to create them', async (context) => {
    const { aNode } = await aDeployment(context)
    const directories = [temporaryDirectory(context), temporaryDirectory(context)]
    const starts = await Promise.allSettled(directories.map((data_dir) => aNode({ data_dir })))
    const won = starts.findIndex(({ status }) => status === 'fulfilled')
    for (const [index, directory] of directories.entries())
      assert.equal(existsSync(join(directory, 'master.key')), index === won)
    const again = await aNode({ data_dir: directories[won] ?? '' })
    assert.equal(again.is_new, false)
  })

  test('withdrawn by one node are void on the others, even if both withdraw at once', async (context) => {
    const { aNode } = await aDeployment(context)
    const first = await aNode()
    const second = await aNode({ data_dir: first.data_dir })
    const stolen = first.ring.active('tokens').kid
    await Promise.all([
      first.ring.withdraw(stolen, NOW_MS, NOW_MS),
      second.ring.withdraw(stolen, NOW_MS - 5_000, NOW_MS),
    ])
    await Promise.all([first.ring.refresh(), second.ring.refresh()])
    for (const { ring } of [first, second]) {
      assert.equal(
        ring.published().some(({ kid }) => kid === stolen),
        false,
      )
      assert.equal(ring.find(stolen)?.withdrawn_from_s, NOW_MS / 1000 - 5)
      assert.equal(ring.active('tokens').kid, first.ring.active('tokens').kid)
      assert.notEqual(ring.active('tokens').kid, stolen)
    }
  })

  test('of an early version get keys for every purpose, only once', async (context) => {
    const { url, aNode } = await aDeployment(context)
    const first = await aNode()
    const { keys, ...document } = first.kept.document
    const [active] = keys.filter(
      ({ purpose, active_from }) => purpose === 'tokens' && active_from !== undefined,
    )
    const { purpose: _, active_from: __, ...early } = active ?? assert.fail()
    const master = readMasterKey(join(first.data_dir, 'master.key')) ?? assert.fail()
    const sealed = master.seal(2, JSON.stringify({ ...document, version: 1, keys: [early] }))
    await command(url, 'UPDATE sealed_keys SET revision = 2, sealed = $1', [sealed])
    const [one, other] = await Promise.all([1, 2].map(() => aNode({ data_dir: first.data_dir })))
    await Promise.all([one?.ring.refresh(), other?.ring.refresh()])
    assert.equal(one?.ring.active('tokens').kid, early.kid)
    assert.equal(one?.ring.published().length, 6)
    for (const purpose of ['tokens', 'status_lists', 'statements'] as const)
      assert.equal(one?.ring.active(purpose).kid, other?.ring.active(purpose).kid)
  })

  test('rotated by one node are found by the others when a token names them', async (context) => {
    const { aNode } = await aDeployment(context)
    const first = await aNode()
    const second = await aNode({ data_dir: first.data_dir })
    const old = first.ring.active('tokens').kid
    await first.ring.rotate(NOW_MS)
    const fresh = first.ring.active('tokens').kid
    assert.equal(second.ring.find(fresh)?.kid, fresh) // published before it signs
    await second.ring.refresh()
    assert.equal(second.ring.active('tokens').kid, fresh)
    assert.equal((await second.ring.learn(old))?.kid, old)
    const { tokens: next } = first.ring.prepareRotation().kids
    assert.equal((await second.ring.learn(next))?.kid, next)
    assert.equal(await second.ring.learn('unheard-of'), undefined)
  })

  test('rotate once when nodes rotate at the same time', async (context) => {
    const { url, aNode } = await aDeployment(context)
    const first = await aNode()
    const nodes = [first, ...(await Promise.all([1, 2, 3].map(() => aNode({ data_dir: first.data_dir }))))]
    const old = first.ring.active('tokens').kid
    const prepared = nodes.map(({ ring }) => ring.prepareRotation())
    await Promise.all(prepared.map((rotation) => rotation.activate(NOW_MS)))
    await Promise.all(nodes.map(({ ring }) => ring.refresh()))
    for (const { ring } of nodes) {
      assert.equal(ring.published().length, 9)
      assert.ok(ring.find(old))
      assert.equal(ring.active('tokens').kid, prepared[0]?.kids.tokens)
    }
    assert.deepEqual(await command(url, 'SELECT revision::int FROM sealed_keys'), [{ revision: 5 }])
    await assert.rejects(command(url, 'UPDATE sealed_keys SET revision = 1'), /keys never go back/)
  })

  test('are not created again for a store that lost them', async (context) => {
    const { url, aNode } = await aDeployment(context)
    await command(url, 'UPDATE log_head SET batch = 1')
    await assert.rejects(aNode(), /holds a store but not the keys/)
  })

  test('of an older revision are not accepted as the newest', async (context) => {
    const { url, aNode } = await aDeployment(context)
    const first = await aNode()
    const [old] = await command(url, 'SELECT sealed FROM sealed_keys')
    await first.ring.rotate(NOW_MS)
    await command(url, 'UPDATE sealed_keys SET revision = 9, sealed = $1', [old.sealed])
    const active = first.ring.active('tokens').kid
    await assert.rejects(first.ring.refresh(), /does not open the keys/)
    assert.equal(first.ring.active('tokens').kid, active)
  })
})
