import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import { StoreError } from '../../src/store/port.ts'
import { settledReader } from '../../src/store/settled-reader.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read-store.ts'

test('what is not found while rows cannot be shown is refused, and everything else is read', async (t) => {
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
  isRefusing = false
  assert.equal(await reader.record('aar_0'), undefined)
  assert.equal(await reader.workflow('prov_0'), undefined)
})
