import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { FrameEncoder, sealFrame, USE_BYTES } from '../../server/src/store/sqlite/journal/frame.ts'

function deputy(...args: string[]) {
  return spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', DEPUTY_BACKUP_PASSPHRASE: 'quince-anchor-violin-meadow' },
  })
}

const check = (...args: string[]) => deputy('check', ...args)

const directory = temporaryDirectory({ after })
const RECORDS = 30

/** The result of the check while the service was running. */
let whileRunning: ReturnType<typeof check>

before(async () => {
  const program = await aProgram({ after }, directory)
  let client = httpClient({ after }, program.url)
  const call = async (path: string, body: unknown) => {
    const answer = await client.post(path, body)
    assert.equal(answer.status, 200)
    return answer.body
  }
  const { jti: vat_jti } = await call('/v1/vat/issue/l1', anIssueRequest())
  const ask = { vat_jti, action: 'read', resource: 'calendar:events', result: 'success' }
  for (let n = 0; n < RECORDS; n += 1) await call('/v1/vat/record/action', ask)
  client.close() // the check blocks this process, and a slow one outlasts an idle connection
  whileRunning = check('--data', directory)
  client = httpClient({ after }, program.url)
  assert.equal((await call('/v1/vat/record/action', ask)).recorded, true)
  client.close()
  assert.equal(await program.stop(), 0)
})

function aTamperedCopy(scope: TestScope, sql: string): string {
  const copy = temporaryDirectory(scope)
  cpSync(directory, copy, { recursive: true })
  const db = new DatabaseSync(join(copy, 'deputy.db'))
  for (const { name } of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all())
    if (sql.includes('DELETE')) db.exec(`DROP TRIGGER ${name}`)
  db.exec(sql)
  db.close()
  return copy
}

/** A copy in the state that a crash leaves after the store refused a batch. */
function aCopyWithARefusedBatch(scope: TestScope): string {
  const copy = temporaryDirectory(scope)
  cpSync(directory, copy, { recursive: true })
  const file = join(copy, 'deputy.db')
  const db = new DatabaseSync(file)
  const { frame = 0 } = db.prepare('SELECT frame FROM journal_position').get() ?? {}
  db.close()
  const encoder = new FrameEncoder()
  encoder.add(encoder.numberOf('INSERT INTO journal_position (only, frame) VALUES (1, ?)'), [0])
  const refused = encoder.take(Number(frame) + 1) ?? assert.fail()
  sealFrame(refused, Buffer.alloc(USE_BYTES, 1), 0)
  writeFileSync(`${file}.journal-0`, refused.bytes)
  return copy
}

describe('deputy check', () => {
  test('exits with 0 on sound data, during and after a run of the service, and leaves no files', () => {
    assert.equal(whileRunning.status, 0, whileRunning.stdout + whileRunning.stderr)
    assert.match(whileRunning.stdout, /^Checked 31 leaves/)
    const files = readdirSync(directory)
    const { status, stdout, stderr } = check('--data', directory)
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^Checked 32 leaves of the log[\s\S]*\nSound: /)
    assert.equal(stderr, '')
    assert.deepEqual(readdirSync(directory), files)
  })

  test('treats empty variables as unset', () => {
    const empty = { DEPUTY_DATABASE_URL: '', DEPUTY_CHECKPOINT_FILE: '', DEPUTY_MASTER_KEY_FILE: '' }
    const env = { PATH: process.env.PATH ?? '', ...empty }
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'check', '--data', directory], {
      encoding: 'utf8',
      env,
    })
    assert.equal(status, 0, stderr)
  })

  test('checks the named directory if it has a store, even if the environment names a database', () => {
    const env = { PATH: process.env.PATH ?? '', DEPUTY_DATABASE_URL: 'postgres://deputy@127.0.0.1:1/deputy' }
    const args = [CLI, 'check', '--data', directory]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
    assert.equal(status, 0, stderr)
    assert.ok(stdout.includes(`all other data in ${directory} against`))
  })

  test('exits with 1 on faults and prints one line for each', (t) => {
    const copy = aTamperedCopy(t, 'UPDATE agents SET total_actions = 7')
    const { status, stdout } = check('--data', copy)
    assert.equal(status, 1)
    assert.match(
      stdout,
      /Found 1 fault:\n {2}- Column total_actions of agents calendar-bot is 7, but the log implies 31\.\n$/,
    )
  })

  test('prints the first 20 faults and counts the rest; as JSON it prints all', (t) => {
    const copy = aTamperedCopy(t, 'DELETE FROM records')
    const { status, stdout } = check('--data', copy)
    assert.equal(status, 1)
    assert.equal(stdout.match(/^ {2}- /gm)?.length, 20)
    assert.match(stdout, /\n {2}\.\.\. and \d+ more\. Use --json to print all\.\n$/)
    const all = JSON.parse(check('--data', copy, '--json').stdout)
    assert.deepEqual([all.sound, all.leaves, all.fault_count], [false, 32, all.faults.length])
    assert.ok(all.faults.length > 31)
    const missing = all.faults.filter(({ table }: { table: string }) => table === 'records')
    assert.deepEqual(missing[0], {
      table: 'records',
      key: '1',
      sentence: 'The records row of leaf 1 is missing.',
    })
  })

  test('reports a sound result as JSON', () => {
    const { status, stdout } = check('--data', directory, '--json')
    assert.equal(status, 0)
    assert.deepEqual(JSON.parse(stdout), {
      sound: true,
      tables_compared: true,
      leaves: 32,
      signed: 32,
      fault_count: 0,
      faults: [],
    })
  })

  test('reports a batch of a crashed service that was left out, as do deputy stop and deputy backup', (t) => {
    const commands = {
      check: [],
      stop: ['--agent', 'calendar-bot', '--yes'],
      backup: ['--to', join(temporaryDirectory(t), 'one.backup')],
    }
    for (const [name, args] of Object.entries(commands)) {
      const ended = deputy(name, '--data', aCopyWithARefusedBatch(t), ...args)
      assert.equal(ended.status, 0, ended.stdout + ended.stderr)
      assert.match(
        ended.stderr,
        /^The last batch .* was left out .*UNIQUE constraint failed.* nothing is lost\.$/m,
      )
    }
  })

  test('reads the checkpoint from the given file', (t) => {
    const copy = aTamperedCopy(t, 'PRAGMA user_version')
    const elsewhere = join(temporaryDirectory(t), 'signed')
    cpSync(join(copy, 'checkpoint'), elsewhere)
    rmSync(join(copy, 'checkpoint'))
    assert.equal(check('--data', copy).status, 1)
    assert.equal(check('--data', copy, '--checkpoint', elsewhere).status, 0)
  })

  test('exits with 2 if the data cannot be checked, and says why', (t) => {
    const missing = check('--data', '/nowhere/at/all')
    assert.deepEqual([missing.status, missing.stdout], [2, ''])
    assert.equal(
      missing.stderr,
      'There is no store in /nowhere/at/all. Name the data directory with --data, or the database of a node with --database.\n',
    )
    const newer = check('--data', aTamperedCopy(t, 'PRAGMA user_version = 999'))
    assert.equal(newer.status, 2)
    assert.match(newer.stderr, /newer version of Deputy/)
    const keyless = aTamperedCopy(t, 'PRAGMA user_version')
    rmSync(join(keyless, 'keys.json'))
    const { status, stderr } = check('--data', keyless, '--json')
    assert.equal(status, 2)
    assert.match(JSON.parse(stderr).error, /keys\.json is missing/)
  })
})
