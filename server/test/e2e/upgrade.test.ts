import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { checkData } from '../../src/check/check-data.ts'
import { assertGoesOn, OLD_PASSPHRASE, UPGRADES } from '../upgrades/goes-on.ts'
import { auditStore, leafTexts, storeRows } from './audit-store.ts'

/** Data directories that earlier versions wrote, named by their last migration. See `upgrades/README.md`. */
const ARCHIVES = readdirSync(UPGRADES).filter((name) => /^sqlite-.*\.tar\.gz$/.test(name))

/** Its entries lack what the tables are recomputed from. */
const EARLY = 'sqlite-schema-3.tar.gz'

function unpacked(scope: TestScope, archive: string): string {
  const directory = temporaryDirectory(scope)
  execFileSync('tar', ['-C', directory, '-xzf', `${UPGRADES}${archive}`])
  return directory
}

function deputy(...args: string[]) {
  const env = { PATH: process.env.PATH, ...OLD_PASSPHRASE }
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', env })
}

/** Starts a program's clock at this time, so that tokens of an earlier version haven't expired yet. */
function clockFrom(time_ms: number): Record<string, string> {
  const behind_ms = Date.now() - time_ms
  const code = `const now = Date.now; Date.now = () => now() - ${behind_ms}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

describe('a data directory of an earlier version', () => {
  assert.ok(ARCHIVES.length > 0)
  for (const archive of ARCHIVES)
    test(`${archive} opens, keeps its content, continues, and passes the check`, async (t) => {
      const directory = unpacked(t, archive)
      const before = storeRows(directory, 'SELECT leaf FROM leaves ORDER BY log_index')
      const next_ms = Date.parse(JSON.parse(String(before.at(-1)?.leaf)).at) + 60_000
      const program = await aProgram(t, directory, clockFrom(next_ms))
      const client = httpClient(t, program.url)
      await assertGoesOn(client, next_ms)
      client.close()
      assert.equal(await program.stop(), 0)
      const after = storeRows(directory, 'SELECT leaf FROM leaves ORDER BY log_index')
      assert.deepEqual(after.slice(0, before.length), before, 'the log was rewritten')
      if (archive !== EARLY) await auditStore(directory)
    })

  test('is left unchanged by deputy migrate --plan, which lists what a start would apply', (t) => {
    const directory = unpacked(t, 'sqlite-schema-14.tar.gz')
    const files = () =>
      readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'base64')])
    const before = files()
    const { stdout } = deputy('migrate', '--plan', '--data', directory)
    assert.match(stdout, /would apply to .*:\n {2}0015-leaf-tokens\.sql\n(.*\n)*Nothing was changed\./)
    assert.deepEqual(files(), before)
  })

  test('is restored from a backup that an earlier version made, and passes the check', async (t) => {
    const directory = join(temporaryDirectory(t), 'restored')
    const from = `${UPGRADES}sqlite-schema-14.backup`
    const { status, stderr } = deputy('restore', '--from', from, '--data', directory)
    assert.equal(status, 0, stderr)
    assert.ok((await auditStore(directory)) > 10)
    const spent = storeRows(directory, 'SELECT max(spent_micro_usd) AS spent FROM token_states')
    assert.equal(spent[0]?.spent, 3_500_000)
  })

  test(`a log that begins before 0.1.0 is rehashed, and the check reports that it compared nothing else`, async (t) => {
    const directory = unpacked(t, EARLY)
    const program = await aProgram(t, directory)
    assert.equal((await httpClient(t, program.url).get('/readyz')).status, 200)
    assert.equal(await program.stop(), 0)
    const check = () => checkData({ data_dir: directory, checkpoint_file: join(directory, 'checkpoint') })
    const { fault_count, tables_compared, leaves } = await check()
    assert.deepEqual({ fault_count, tables_compared }, { fault_count: 0, tables_compared: false })
    assert.equal(leaves, leafTexts(directory).length)
    const { status, stdout } = deputy('check', '--data', directory)
    assert.equal(status, 2)
    assert.match(stdout, /Only the log was checked/)
    const db = new DatabaseSync(join(directory, 'deputy.db'))
    db.exec(
      `DROP TRIGGER leaves_never_change; UPDATE leaves SET leaf = replace(leaf, '"read"', '"rule"') WHERE log_index = 2`,
    )
    db.close()
    assert.ok((await check()).fault_count > 0, 'a changed entry is a fault all the same')
  })

  test('a log that begins before 0.1.0 is backed up and restored, with only the log checked', async (t) => {
    const directory = unpacked(t, EARLY)
    const program = await aProgram(t, directory)
    assert.equal(await program.stop(), 0)
    const work = temporaryDirectory(t)
    const to = join(work, 'early.backup')
    const backup = deputy('backup', '--data', directory, '--to', to, '--json')
    assert.equal(backup.status, 0, backup.stderr)
    const { checked, tables_compared } = JSON.parse(backup.stdout)
    assert.deepEqual({ checked, tables_compared }, { checked: true, tables_compared: false })
    const restored = join(work, 'restored')
    const restore = deputy('restore', '--from', to, '--data', restored)
    assert.equal(restore.status, 0, restore.stderr)
    assert.match(restore.stdout, /Only the log was checked/)
    const before = leafTexts(directory)
    assert.deepEqual(leafTexts(restored).slice(0, before.length), before)
  })
})
