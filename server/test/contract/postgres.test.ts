import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { decodeFrontier, rootOf } from '@deputize/protocol'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { type ManualClock, manualClock } from '@deputize/testing/manual-clock.ts'
import { settledPostgresReader } from '@deputize/testing/test-stores.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { RegisterCommand } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { postgresWriteStore } from '../../src/store/postgres/write/write-store.ts'
import { bytes, integer, text } from '../../src/store/values.ts'
import { aPool, aPostgres, look } from './a-postgres.ts'
import { approvalsContract } from './approvals-contract.ts'
import { listsContract } from './lists-contract.ts'
import { apiKey, registryContract } from './registry-contract.ts'
import { revocationContract } from './revocation-contract.ts'
import { type OpenStore, storeContract } from './store-contract.ts'
import { sumsContract } from './sums-contract.ts'
import { tenantContract } from './tenant-contract.ts'
import { trustContract } from './trust-contract.ts'
import { workflowContract } from './workflow-contract.ts'

/** Few, because each history needs its own database. */
const HISTORIES = Number(process.env.CONTRACT_HISTORIES ?? 6)

const postgres = await aPostgres({ after })

/** Closes the last store that was opened. A server has connections for only a few at once. */
let closeLast = async (): Promise<void> => {}

function optionsOf(url: string, clock: ManualClock) {
  return { url, instance: 'test', vault_key: TEST_VAULT_KEY, clock, allow_unsafe: true, defers_sums: true }
}

async function openPostgres(context: TestContext): Promise<OpenStore & { readonly url: string }> {
  const url = await postgres.database()
  return { url, ...(await openAt(url, manualClock(), context)) }
}

async function openAt(url: string, clock: ManualClock, context: TestContext): Promise<OpenStore> {
  await closeLast()
  const writer = await postgresWriteStore({ ...optionsOf(url, clock), writer_id: 'test' })
  const reader = settledPostgresReader(aPool(url), TEST_VAULT_KEY, writer)
  let isOpen = true

  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await reader.close()
    await writer.close()
  }
  context.after(close)
  closeLast = close

  return {
    writer,
    reader,
    clock,
    async leaves() {
      const rows = await look(url, 'SELECT log_index, leaf, leaf_hash FROM leaves ORDER BY log_index')
      return rows.map((row) => ({
        log_index: integer(row.log_index),
        leaf: text(row.leaf),
        leaf_hash: bytes(row.leaf_hash),
      }))
    },
    async frontierRoot() {
      const rows = await look(url, 'SELECT frontier FROM log_head')
      return rootOf(decodeFrontier(bytes(rows[0]?.frontier)))
    },
    async holds(text) {
      await look(postgres.server.url(), 'CHECKPOINT')
      return filesBelow(join(postgres.server.directory, 'base')).some(({ bytes }) => bytes.includes(text))
    },
    async wrappedKeys() {
      const rows = await look(url, 'SELECT wrapped FROM data_keys ORDER BY data_key')
      return rows.map(({ wrapped }) => Buffer.from(bytes(wrapped)))
    },
    async moveMetadata(from_aar_id, to_aar_id) {
      await look(url, 'ALTER TABLE records DISABLE TRIGGER closed_records_never_change')
      await look(
        url,
        'UPDATE records SET metadata = (SELECT metadata FROM records WHERE aar_id = $1) WHERE aar_id = $2',
        [from_aar_id, to_aar_id],
      )
    },
    async moveEntry(id, tenant_id) {
      await look(url, 'ALTER TABLE registry DISABLE TRIGGER registry_never_goes_back')
      await look(url, 'UPDATE registry SET tenant_id = $1 WHERE id = $2', [tenant_id, id])
    },
    async setSums(jti, micro_usd) {
      await look(
        url,
        `UPDATE token_states SET spent_micro_usd = $1, reserved_micro_usd = $1
        WHERE token_key = (SELECT token_key FROM tokens WHERE jti = $2)`,
        [String(micro_usd), jti],
      )
    },
    reopen: () => openAt(url, clock, context),
  }
}

storeContract('PostgreSQL', openPostgres, HISTORIES)
tenantContract('PostgreSQL', openPostgres)
workflowContract('PostgreSQL', openPostgres, HISTORIES)
registryContract('PostgreSQL', openPostgres)
trustContract('PostgreSQL', openPostgres)
sumsContract('PostgreSQL', openPostgres)
listsContract('PostgreSQL', openPostgres)
approvalsContract('PostgreSQL', openPostgres)
revocationContract('PostgreSQL', openPostgres)

test('of many callers that change the same entry on two nodes, one succeeds', async (context) => {
  const { writer, reader, clock, url } = await openPostgres(context)
  const other = await postgresWriteStore({ ...optionsOf(url, clock), writer_id: 'other' })
  context.after(() => other.close())
  const race = async (expects: RegisterCommand['expects']) => {
    const answers = await Promise.all(
      [writer, other].map(async (node, index) => {
        const { replies } = await runBatch(
          node,
          Array.from({ length: 8 }, (_, n) => apiKey('k', { document: `[${index},${n}]`, expects })),
          (cause) => {
            throw cause
          },
        )
        return replies
      }),
    )
    return answers.flat().filter((reply) => 'outcome' in reply).length
  }
  let expects: RegisterCommand['expects'] = 'absent'
  for (let round = 0; round < 10; round += 1) {
    assert.equal(await race(expects), 1)
    const entry = await reader.registry.entry('api_key', 'k')
    assert.notEqual(entry?.document, undefined)
    expects = entry?.log_index ?? 'absent'
  }
})
