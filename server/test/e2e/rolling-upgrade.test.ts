import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { type Node, someNodes } from '@deputize/testing/some-nodes.ts'
import { REPOSITORY } from '@deputize/testing/source-imports.ts'
import { knownSchema } from '../../src/store/postgres/migration-files.ts'
import { auditDatabase } from './audit-database.ts'
import { oracle } from './oracle.ts'

/** The previous version of the service, which knows this many migrations. See `upgrades/README.md`. */
const EARLIER = {
  schema: 12,
  archive: fileURLToPath(new URL('../upgrades/program-schema-12.tgz', import.meta.url)),
}
const CALLERS = 4
/** Acknowledged changes between two steps of the upgrade. */
const STEP = 150
/** Leaves in a full tile. */
const TILE = 256
const SILENT = { DEPUTY_LOG_LEVEL: 'silent' }

/**
 * The command of the earlier version, unpacked in the repository so that it finds the packages that both versions use.
 */
function earlierVersion(scope: TestScope): readonly string[] {
  const cache = join(REPOSITORY, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'earlier-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-C', folder, '-xzf', EARLIER.archive])
  return [process.execPath, join(folder, 'program/main.mjs')]
}

describe('nodes of two versions on one database', () => {
  test('serve one log under load while one after the other is replaced, and lose nothing', async (t) => {
    const version = earlierVersion(t)
    const cluster = await someNodes(t, 0, { url: await aDatabase(t), env: SILENT })
    const { url, env, aNode } = cluster
    async function anEarlierNode(): Promise<Node> {
      const directory = temporaryDirectory(t)
      const program = await aProgram(t, directory, { ...env, ...SILENT }, version)
      return { program, client: httpClient(t, program.url, 2 * CALLERS), directory }
    }
    const schema = async () => (await command(url, 'SELECT max(number) AS last FROM migrations'))[0]?.last

    const first = await anEarlierNode()
    const second = await anEarlierNode()
    assert.equal(await schema(), EARLIER.schema)
    const witness = oracle()
    const isOver = new Set<Node>()
    const loads: Promise<Error | undefined>[] = []
    const begin = (node: Node) => {
      for (let caller = 0; caller < CALLERS; caller += 1)
        loads.push(witness.load(node.client, () => isOver.has(node)))
    }
    const acknowledgedMore = async (what: string) => {
      const wanted = witness.acknowledged() + STEP
      await eventually(what, async () => witness.acknowledged() >= wanted, 60_000)
    }
    /** Stops a node as an update does: calls move to the other nodes, then the process ends. */
    const retire = async (node: Node) => {
      isOver.add(node)
      assert.equal(await node.program.stop(), 0)
    }

    begin(first)
    begin(second)
    await acknowledgedMore('changes by two earlier nodes')
    const issued = await okBody(second.client.post('/v1/vat/issue/l1', anIssueRequest({ purpose: 'm0' })))
    await retire(first)
    const third = await aNode()
    begin(third)
    assert.equal(await schema(), knownSchema(), 'the first new node migrates')
    await acknowledgedMore('changes by nodes of both versions')
    const left = await okBody(second.client.get('/readyz'))
    assert.equal(left.status, 'ready', 'the earlier node goes on')

    // A token is revoked on the earlier node, and denied on the new one.
    await okBody(second.client.post('/v1/vat/revoke', { vat_jti: issued.jti }))
    const use = { vat_jti: issued.jti, action: 'read', resource: 'calendar:events' }
    assert.deepEqual((await okBody(third.client.post('/v1/vat/authorize', use))).reasons, ['token_revoked'])

    // The new node serves everything acknowledged so far, and the earlier node serves the same log.
    await witness.assertKept(third.client)
    const signed = async (node: Node) => String((await node.client.get('/checkpoint')).body).split('\n')
    const [, size = ''] = await signed(third)
    await eventually('the earlier node serves the checkpoints of the new one', async () => {
      const [, own = ''] = await signed(second)
      return Number(own) >= Math.max(Number(size), TILE)
    })
    for (const tile of ['/tile/0/000', '/tile/entries/000'])
      assert.deepEqual(
        (await second.client.get(tile)).body,
        (await third.client.get(tile)).body,
        'two versions serve two logs',
      )

    await retire(second)
    const fourth = await aNode()
    begin(fourth)
    await acknowledgedMore('changes by two new nodes')
    for (const node of [third, fourth]) isOver.add(node)
    await Promise.all(loads)
    const repeated = await witness.retry(fourth.client)
    await witness.assertKept(fourth.client)

    const { issue, record, authorize, rate } = witness.counts()
    const [stored] = await command(
      url,
      `SELECT (SELECT count(*) FROM tokens) AS tokens, (SELECT count(*) FROM records) AS records,
        (SELECT count(*) FROM ratings) AS ratings`,
    )
    assert.deepEqual(
      stored,
      { tokens: issue + 1, records: record + authorize, ratings: rate },
      'something was done twice, or is lost',
    )
    const leaves = await auditDatabase({ env, nodes: [third, fourth] })
    t.diagnostic(`${witness.acknowledged()} acknowledged, ${repeated} repeated, ${leaves} leaves`)
  })

  test('may shut out the earlier one: it stops writing, reports why, and cannot start again', async (t) => {
    const { url, env, nodes, aNode } = await someNodes(t, 1, { env: SILENT })
    const [node] = nodes
    assert.ok(node !== undefined)
    const { get, post } = node.client
    await okBody(post('/v1/vat/issue/l1', anIssueRequest()))

    // What a version with one more migration leaves behind. Earlier nodes may continue after this one.
    const next = knownSchema() + 1
    await command(url, `INSERT INTO migrations (number, name) VALUES (${next}, 'later.sql')`)
    const { jti } = await okBody(post('/v1/vat/issue/l1', anIssueRequest()))
    const another = await aNode()
    await okBody(another.client.post('/v1/vat/revoke', { vat_jti: jti }))

    // After this one, they must not.
    await command(url, `UPDATE log_head SET oldest_schema = ${next}`)
    const [leaves] = await command(url, 'SELECT count(*) AS count FROM leaves')
    const refused = await post('/v1/vat/issue/l1', anIssueRequest())
    assert.deepEqual([refused.status, refused.body.code], [503, 'storage_unavailable'])
    const reason = new RegExp(
      `must know schema ${next} to write to it, and this one knows schema ${next - 1}`,
    )
    const ready = await get('/readyz')
    assert.deepEqual([ready.status, ready.body.reasons.length], [503, 1])
    assert.match(ready.body.reasons[0].detail, reason)
    assert.equal((await get(`/v1/vat/tokens/${jti}`)).status, 200, 'reads go on')
    assert.deepEqual((await command(url, 'SELECT count(*) AS count FROM leaves'))[0], leaves)
    const started = await refusedStart(temporaryDirectory(t), env)
    assert.deepEqual([started.code, reason.test(started.output)], [78, true], started.output)

    await command(url, `UPDATE log_head SET oldest_schema = ${next - 1}`)
    await eventually('it writes again once it may', async () => (await get('/readyz')).status === 200)
  })
})
