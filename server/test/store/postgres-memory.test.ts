import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'
import { aPostgresWriter } from './a-postgres-writer.ts'
import { aRecord, aToken, decisionOf, ROOT, records, write } from './postgres-batches.ts'

const postgres = await aPostgres({ after })
const OTHERS = 'FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()'

describe('the cache of a node on PostgreSQL', () => {
  test('is bounded, even if nothing is stopped', async (context) => {
    const url = await postgres.database()
    const node = await aPostgresWriter(context, url, 'node', { remembered: 3 })
    await write(node, aToken(ROOT, 'someone', 0))
    await write(node, aRecord('first'))
    // No node changes a row without a batch, so this shows whether the state is read again.
    const suspend = () => look(url, 'UPDATE token_states SET suspended_at_ms = 1')
    await suspend()
    assert.equal(decisionOf(await write(node, aRecord('remembered'))), true)

    for (let index = 1; index <= 4; index += 1)
      await write(node, aToken(`vat_root_other_${index}`, `other-${index}`, index))
    await suspend()
    assert.equal(decisionOf(await write(node, aRecord('later'))), false)
  })

  test('is cleared with the connection, because after a failover the database may lack its data', async (context) => {
    const url = await postgres.database()
    const name = new URL(url).pathname.slice(1)
    const node = await aPostgresWriter(context, url, 'node')
    const disconnect = async () => {
      await look(postgres.server.url(), `SELECT pg_terminate_backend(pid) ${OTHERS}`, [name])
      await eventually('the connections have ended', async () => {
        return (await look(postgres.server.url(), `SELECT 1 ${OTHERS}`, [name])).length === 0
      })
    }
    await write(node, aToken(ROOT, 'someone', 0))
    await disconnect()
    await look(postgres.server.url(), `CREATE DATABASE standby TEMPLATE ${name} STRATEGY FILE_COPY`)
    await write(node, aRecord('lost', 'a result of its own'))
    await disconnect()
    await look(postgres.server.url(), `DROP DATABASE ${name}`)
    await look(postgres.server.url(), `ALTER DATABASE standby RENAME TO ${name}`)

    await write(node, {
      kind: 'keep_checkpoint',
      size: 1,
      root: Buffer.alloc(32).toString('base64'),
      note: 'a note',
      signed_at_ms: Date.now(),
    })
    await write(node, aRecord('kept', 'a result of its own'))
    assert.deepEqual(await records(url), ['aar_kept: a result of its own'])
  })
})
