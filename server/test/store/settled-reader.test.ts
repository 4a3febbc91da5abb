import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { Command } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { StoreError } from '../../src/store/port/store-error.ts'
import { settledReader } from '../../src/store/settled-reader.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { anAuthorization } from '../an-authorization.ts'
import { issued } from '../simulation/wishes.ts'

const TOKEN = 'vat_root_settled'
const NOW_MS = Date.UTC(2026, 0, 1)

test('the standing of a token is read without waiting, unless the token is not found', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'deputy.db')
  writeEmptyStore(file)
  const vault = { instance: 'test', vault_key: TEST_VAULT_KEY }
  const store = sqliteWriteStore({ ...vault, file, clock: () => NOW_MS, onPublished() {} })
  const asked: string[] = []
  const publish = () => {
    asked.push('publish')
    return store.publish()
  }
  const reader = settledReader(sqliteReadStore(file, TEST_VAULT_KEY), { publish, settle: publish })
  t.after(() => reader.close())
  const execute = (command: Command) => runBatch(store, [command], (cause) => assert.fail(String(cause)))

  await execute(issued(TOKEN, 1, 0, NOW_MS))
  assert.equal((await reader.standing.chain(TOKEN))?.[0].token.jti, TOKEN, 'what is hidden is found')
  assert.deepEqual(asked.splice(0), ['publish'])

  const action = anAuthorization({ suffix: 'one', vat_jti: TOKEN })
  await execute({ kind: 'record_action', result: 'success', result_hash: undefined, ...action })
  assert.equal(
    (await reader.standing.chain(TOKEN))?.[0].state.actions,
    0,
    'what was used may be a moment old',
  )
  assert.equal(await reader.registry.entry('api_key', 'key_0'), undefined)
  assert.deepEqual(asked, [])
  assert.equal((await reader.standing.record('aar_one'))?.vat_jti, TOKEN)
  assert.deepEqual(asked.splice(0), ['publish'])
  assert.equal((await reader.standing.chain(TOKEN))?.[0].state.actions, 1)

  await execute({ kind: 'revoke', vat_jti: TOKEN, reason: undefined })
  assert.notEqual((await reader.standing.chain(TOKEN))?.[0].state.revoked_at_ms, undefined)
  assert.deepEqual(asked, [], 'a revocation is never hidden')
  await store.close()
})

test('what is not found while rows cannot be shown is refused, while everything else can be read', async (t) => {
  const file = join(temporaryDirectory(t), 'deputy.db')
  writeEmptyStore(file)
  let isRefusing = true
  const refusal = new StoreError('the disk does not sync', 'nothing_written', undefined)
  const publish = () => (isRefusing ? Promise.reject(refusal) : undefined)
  const settle = () => {
    if (isRefusing) throw refusal
    return undefined
  }
  const reader = settledReader(sqliteReadStore(file, TEST_VAULT_KEY), { publish, settle })
  t.after(() => reader.close())
  await assert.rejects(reader.record('aar_0'), { code: 'storage_unavailable' })
  await assert.rejects(reader.workflow('prov_0'), { code: 'storage_unavailable' })
  assert.equal((await reader.log.head()).size, 0)
  const active = () => reader.stats.activeSince({ tenant_id: 'default', unit: 'minute', from: 0, limit: 10 })
  await assert.rejects(active(), { code: 'storage_unavailable' }, 'an alert would be missed')
  isRefusing = false
  assert.deepEqual(await active(), [])
  assert.equal(await reader.record('aar_0'), undefined)
  assert.equal(await reader.workflow('prov_0'), undefined)
})
