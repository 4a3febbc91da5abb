import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { refusedStart } from '@deputize/testing/program.ts'
import { CLI, COMPILE_CACHE } from '@deputize/testing/programs.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { type Nodes, someNodes } from '@deputize/testing/some-nodes.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { assertGoesOn, OLD_PASSPHRASE, UPGRADES } from '../upgrades/goes-on.ts'
import { auditDatabase } from './audit-database.ts'
import { auditStore, storeRows } from './audit-store.ts'

/** Databases that earlier versions wrote, named by their last migration. See `upgrades/README.md`. */
const ARCHIVES = readdirSync(UPGRADES).filter((name) => /^postgres-.*\.tar\.gz$/.test(name))

interface EarlierDatabase extends Nodes {
  /** With the checkpoint and the master key of the node that wrote it. */
  readonly directory: string
}

async function unpacked(scope: TestScope, archive: string): Promise<EarlierDatabase> {
  const directory = temporaryDirectory(scope)
  execFileSync('tar', ['-C', directory, '-xzf', `${UPGRADES}${archive}`])
  const url = await aDatabase(scope)
  await command(url, readFileSync(join(directory, 'database.sql'), 'utf8'))
  const env = { DEPUTY_MASTER_KEY_FILE: join(directory, 'master.key') }
  return { ...(await someNodes(scope, 0, { url, env })), directory }
}

function deputy(env: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...env },
  })
  return { status, output: stdout + stderr }
}

const LEAVES = 'SELECT leaf FROM leaves ORDER BY log_index'

describe('a database of an earlier version', () => {
  assert.ok(ARCHIVES.length > 0)
  for (const archive of ARCHIVES)
    test(`${archive} is migrated, keeps its content, continues, and passes the check`, async (t) => {
      const earlier = await unpacked(t, archive)
      const { url, aNode, directory } = earlier
      const before = await command(url, LEAVES)
      const node = await aNode(directory)
      await assertGoesOn(node.client)
      const after = await command(url, LEAVES)
      assert.deepEqual(after.slice(0, before.length), before, 'the log was rewritten')
      assert.ok(after.length >= before.length + 3)
      await auditDatabase({ env: earlier.env, nodes: [node] })
    })

  test('is not migrated while an earlier node is connected that would write wrong data afterwards', async (t) => {
    const { url, env, aNode, directory } = await unpacked(t, 'postgres-schema-9.tar.gz')
    const plan = deputy(env, 'migrate', '--plan')
    assert.match(
      plan.output,
      /^ {2}0010-stats\.sql \(stop the old nodes first: they would not count what agents do\)\n {2}0011-events\.sql\n/m,
    )
    assert.match(plan.output, /^Stop all nodes of the old version first\..*\nNothing was changed\./m)
    const writer = await openConnection(url, 'writer of an earlier version', () => {})
    const started = await refusedStart(directory, env)
    assert.match(started.output, /A node of an earlier version writes to the database, from 127\.0\.0\.1\./)
    assert.equal(started.code, 78)
    assert.match(deputy(env, 'migrate').output, /Stop all earlier nodes, then start this version\./)
    const [row] = await command(url, 'SELECT max(number) AS last FROM migrations')
    assert.equal(row?.last, 9)
    await writer.end()
    const node = await aNode(directory)
    assert.equal((await node.client.get('/readyz')).status, 200)
  })

  const SPENT = 'SELECT max(spent_micro_usd) AS spent FROM token_states'

  test('is restored from a backup with other columns into a data directory, and passes the check', async (t) => {
    const directory = join(temporaryDirectory(t), 'restored')
    const from = ['restore', '--from', `${UPGRADES}postgres-schema-11.backup`, '--data', directory]
    const direct = deputy(OLD_PASSPHRASE, ...from, '--database', await aDatabase(t))
    assert.deepEqual([direct.status, /into a data directory, then move/.test(direct.output)], [78, true])
    const { status, output } = deputy(OLD_PASSPHRASE, ...from)
    assert.equal(status, 0, output)
    assert.ok((await auditStore(directory)) > 10)
    assert.equal(storeRows(directory, SPENT)[0]?.spent, 3_500_000)
  })

  for (const schema of [12, 15])
    test(`is restored from a backup of schema ${schema} into a database, and passes the check`, async (t) => {
      const directory = join(temporaryDirectory(t), 'restored')
      const database = ['--data', directory, '--database', await aDatabase(t)]
      const from = ['--from', `${UPGRADES}postgres-schema-${schema}.backup`]
      const { status, output } = deputy(OLD_PASSPHRASE, 'restore', ...from, ...database)
      assert.equal(status, 0, output)
      assert.match(deputy({}, 'check', ...database).output, /\nSound: /)
      assert.equal((await command(database.at(-1) ?? '', SPENT))[0]?.spent, 3_500_000)
    })
})
