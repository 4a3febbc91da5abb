import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { READS, readingFromReplica } from '../../src/store/replica.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'

const EVERYTHING = { limit: 10, before: undefined }
const ANY_WORKFLOW = {
  human_ref: undefined,
  agent_id: undefined,
  from_ms: undefined,
  to_ms: undefined,
  tenant_id: undefined,
}
const ANY_TOKEN = {
  provenance_ref: undefined,
  agent_id: undefined,
  human_ref: undefined,
  assurance_level: undefined,
  tenant_id: undefined,
}

/** A store with two tokens, and a copy made when it had one. */
async function aLaggingPair(context: TestContext) {
  const service = await aTestApp(context)
  const file = join(service.directory, 'deputy.db')
  const copy = join(temporaryDirectory(context), 'deputy.db')
  await service.post('/v1/vat/issue/l1', anIssueRequest())
  await service.logSize() // now the file contains it
  for (const end of ['', '-wal', '-shm']) copyFileSync(`${file}${end}`, `${copy}${end}`)
  const second = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
  await service.logSize()
  const { vault_key } = openKeyRing(service.directory, service.clock(), false)
  const primary = sqliteReadStore(file, vault_key)
  const replica = sqliteReadStore(copy, vault_key)
  context.after(async () => {
    await primary.close()
    await replica.close().catch(() => {})
  })
  const clock = manualClock()
  const troubles: unknown[] = []
  const sums = { hasDeferred: () => false }
  const reading = readingFromReplica({
    primary,
    replica,
    hasDeferredSums: async () => sums.hasDeferred(),
    clock,
    onTrouble: (cause) => troubles.push(cause),
  })
  return { ...reading, replica, second, clock, troubles, sums }
}

const tokensIn = async (reader: ReadStore) => (await reader.tokens(ANY_TOKEN, EVERYTHING)).entries.length

async function leavesIn({ workflows }: ReadStore, provenance_ref: string): Promise<number> {
  let count = 0
  for await (const _ of workflows.leaves(provenance_ref, 10)) count += 1
  return count
}

describe('a standby', () => {
  test('serves lists, but never the current state of one entry', async (context) => {
    const { reader, second } = await aLaggingPair(context)
    assert.equal(await tokensIn(reader), 1)
    assert.equal(await leavesIn(reader, second.provenance_ref), 0)
    assert.equal((await reader.chain(second.jti))?.[0].token.jti, second.jti)
    assert.equal((await reader.log.head()).size, 2)
  })

  test('is not used while it lags behind the log that this process has read', async (context) => {
    const { reader, second, fence } = await aLaggingPair(context)
    assert.equal(await tokensIn(reader), 1)
    fence()
    assert.equal(await tokensIn(reader), 2)
    assert.equal(await leavesIn(reader, second.provenance_ref), 1)
  })

  test('is not asked for sums while it has deferred ones', async (context) => {
    const { reader, sums, troubles } = await aLaggingPair(context)
    const workflows = async () => (await reader.workflows.list(ANY_WORKFLOW, EVERYTHING)).entries.length
    assert.equal(await workflows(), 1)
    sums.hasDeferred = () => true
    assert.deepEqual([await workflows(), await tokensIn(reader)], [2, 1])
    sums.hasDeferred = () => {
      throw new Error('the standby is away')
    }
    assert.deepEqual([await workflows(), troubles.length], [2, 1])
  })

  test('is skipped for a while after a failure, and the primary answers', async (context) => {
    const { reader, replica, clock, troubles } = await aLaggingPair(context)
    await replica.close()
    assert.equal(await tokensIn(reader), 2)
    assert.equal(await tokensIn(reader), 2)
    assert.equal(troubles.length, 1)
    clock.advance(5_000)
    assert.equal(await tokensIn(reader), 2)
    assert.equal(troubles.length, 2)
  })

  test('serves no read that a decision depends on', () => {
    for (const name of ['chain', 'record', 'approval', 'agent', 'silenced', 'standingChanges'] as const)
      assert.equal(READS[name], 'primary')
    for (const name of ['registry.entry', 'registry.list'] as const) assert.equal(READS[name], 'primary')
  })
})
