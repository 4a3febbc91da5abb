import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { command } from '@deputize/testing/a-database.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'
import { auditStore, leafTexts, storeRows } from './audit-store.ts'

const KEYED = { DEPUTY_ACCESS: 'keyed', DEPUTY_PUBLIC_URL: 'http://127.0.0.1:0' }
const OPEN = { DEPUTY_ACCESS: 'open' }
const EXIT_CONFIG = 78

const modesIn = (leaves: readonly string[]) =>
  leaves
    .map((leaf) => JSON.parse(leaf))
    .filter(({ type }) => type === 'access.changed')
    .map(({ mode }) => mode)

describe('a deployment that was used in keyed mode', () => {
  test('opens without credentials only if the settings say so, and the log records it', async (context) => {
    const directory = temporaryDirectory(context)
    const keyed = await aProgram(context, directory, KEYED)
    await keyed.stop()
    const { code, output } = await refusedStart(directory)
    assert.equal(code, EXIT_CONFIG)
    assert.match(output, /was used in keyed mode.*Set DEPUTY_ACCESS=keyed.*set DEPUTY_ACCESS=open/s)
    assert.equal((await refusedStart(directory, { DEPUTY_ACCESS: 'auto' })).code, EXIT_CONFIG)
    const open = await aProgram(context, directory, { ...OPEN, DEPUTY_LOG_LEVEL: 'warn' })
    assert.match(open.output(), /changed from keyed to open mode/)
    await open.stop()
    await (await aProgram(context, directory)).stop() // it is open now, so no setting is needed
    await (await aProgram(context, directory, KEYED)).stop()
    await (await aProgram(context, directory, KEYED)).stop()
    assert.equal((await refusedStart(directory)).code, EXIT_CONFIG)
    assert.deepEqual(modesIn(leafTexts(directory)), ['keyed', 'open', 'keyed'])
    await auditStore(directory)
  })

  test('is recognized without a mark, which earlier versions did not set', async (context) => {
    const directory = temporaryDirectory(context)
    const keyed = await aProgram(context, directory, KEYED)
    const [, setup_secret] = /"setup_secret": "([^"]+)"/.exec(keyed.output()) ?? []
    const made = await httpClient(context, keyed.url).post('/v1/vat/setup', { setup_secret })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await keyed.stop()
    const db = new DatabaseSync(join(directory, 'deputy.db'))
    db.exec(`DROP TRIGGER registry_never_goes; DELETE FROM registry WHERE kind = 'access'`)
    db.close()
    assert.equal((await refusedStart(directory)).code, EXIT_CONFIG)
  })
})

describe('a deployment in open mode', () => {
  test('starts again without a setting even if it has a key', async (context) => {
    const directory = temporaryDirectory(context)
    const open = await aProgram(context, directory)
    const made = await httpClient(context, open.url).post('/v1/vat/keys', { name: 'mine', role: 'operator' })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await open.stop()
    await (await aProgram(context, directory)).stop()
    assert.deepEqual(modesIn(leafTexts(directory)), [])
  })

  test('has no leaf before its first change', async (context) => {
    const directory = temporaryDirectory(context)
    await (await aProgram(context, directory)).stop()
    assert.deepEqual(storeRows(directory, 'SELECT * FROM leaves'), [])
  })
})

describe('nodes on one database', () => {
  test('refuse to open a keyed deployment, and stop when another node makes it keyed', async (context) => {
    const { url, env, nodes, aNode } = await someNodes(context, 1)
    const [open] = nodes
    assert.ok(open !== undefined)
    const stopped = once(open.program.process, 'close')
    const keyed = await aNode(undefined, KEYED)
    await stopped
    assert.match(open.program.output(), /Another node has changed this deployment to keyed mode/)
    const { code, output } = await refusedStart(temporaryDirectory(context), env)
    assert.equal(code, EXIT_CONFIG, output)
    await keyed.program.stop()
    const rows = await command(url, 'SELECT leaf FROM leaves ORDER BY log_index')
    assert.deepEqual(modesIn(rows.map(({ leaf }) => String(leaf))), ['keyed'])
  })
})
