import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { command } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { inTurn, someNodes } from '@deputize/testing/some-nodes.ts'

const RECORDS = 30

async function check(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, 'check', ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 240_000,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  await once(child, 'close')
  return { status: child.exitCode, stdout, stderr }
}

const cluster = await someNodes({ after }, 2)
const directory = cluster.nodes[0]?.directory ?? ''
const { DEPUTY_MASTER_KEY_FILE: master_key } = cluster.env
const options = ['--database', cluster.url, '--master-key', master_key, '--data', directory]
/** The reports of checks while both nodes wrote, and the number of records that they wrote. */
const underLoad: { reports: Awaited<ReturnType<typeof check>>[]; records: number } = {
  reports: [],
  records: 0,
}

before(async () => {
  const client = inTurn(cluster.nodes.map((node) => node.client))
  const call = async (path: string, body: unknown) => {
    const answer = await client.post(path, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const { jti: vat_jti } = await call('/v1/vat/issue/l1', anIssueRequest())
  const { aar_id } = await act()
  await client.get(`/v1/vat/aar/${aar_id}/receipt`) // a checkpoint exists once this is answered

  async function act() {
    underLoad.records += 1
    return call('/v1/vat/record/action', {
      vat_jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
      metadata: { number: underLoad.records },
    })
  }
  let isOver = false
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver || underLoad.records < RECORDS) await act()
  })
  for (let run = 0; run < 2; run += 1) underLoad.reports.push(await check(options))
  isOver = true
  await Promise.all(load)
  for (const { program } of cluster.nodes) assert.equal(await program.stop(), 0)
})

/** Runs SQL that bypasses every trigger, looks at the result, and reverts the change. */
async function tampered<T>(sql: string, back: string, look: () => Promise<T>): Promise<T> {
  const unchecked = (text: string) => command(cluster.url, `SET session_replication_role = replica; ${text}`)
  await unchecked(sql)
  try {
    return await look()
  } finally {
    await unchecked(back)
  }
}

describe('deputy check on a database', () => {
  test('exits with 0 while two nodes write', () => {
    assert.ok(underLoad.records >= RECORDS)
    for (const { status, stdout, stderr } of underLoad.reports) {
      assert.equal(status, 0, stdout + stderr)
      assert.match(stdout, /\nSound: all data follows from the log\.\n$/)
    }
  })

  test('prints what it checked, but not the password', async () => {
    const url = new URL(cluster.url)
    url.password = 'the-password'
    const leaves = underLoad.records + 1
    const { status, stdout, stderr } = await check(['--data', directory], {
      ...cluster.env,
      DEPUTY_DATABASE_URL: url.href,
    })
    assert.deepEqual([status, stderr], [0, ''])
    assert.ok(
      stdout.startsWith(
        `Checked ${leaves.toLocaleString('en')} leaves of the log, and all other data in ${url.host}${url.pathname} against them.\n`,
      ),
      stdout,
    )
    assert.ok(!stdout.includes('the-password'))
  })

  test('reports a sound result as JSON', async () => {
    const { status, stdout } = await check([...options, '--json'])
    assert.equal(status, 0)
    const leaves = underLoad.records + 1
    assert.deepEqual(JSON.parse(stdout), {
      sound: true,
      tables_compared: true,
      leaves,
      signed: leaves,
      fault_count: 0,
      faults: [],
    })
  })

  test('exits with 1 on faults and prints one line for each', async () => {
    const { status, stdout } = await tampered(
      'UPDATE agents SET total_actions = total_actions + 7',
      'UPDATE agents SET total_actions = total_actions - 7',
      () => check(options),
    )
    assert.equal(status, 1)
    assert.ok(
      stdout.endsWith(
        `Found 1 fault:\n  - Column total_actions of agents calendar-bot is ${underLoad.records + 7}, but the log implies ${underLoad.records}.\n`,
      ),
      stdout,
    )
  })

  test('detects a database restored from an older backup', async () => {
    const { status, stdout } = await tampered(
      'CREATE TABLE kept AS TABLE leaves; DELETE FROM leaves WHERE log_index > 3',
      'INSERT INTO leaves SELECT * FROM kept WHERE log_index > 3; DROP TABLE kept',
      () => check([...options, '--json']),
    )
    assert.equal(status, 1)
    assert.ok(
      JSON.parse(stdout).faults.some(({ sentence }: { sentence: string }) =>
        /^The log has 4 leaves, but a checkpoint over \d+ was signed/.test(sentence),
      ),
    )
  })

  test('exits with 2 if the data cannot be checked, and says why', async (context) => {
    const anonymous = await check(['--database', 'postgres://deputy@127.0.0.1:1/deputy', '--data', directory])
    assert.deepEqual([anonymous.status, anonymous.stdout], [2, ''])
    assert.match(anonymous.stderr, /^The database at 127\.0\.0\.1:1\/deputy cannot be reached: .*\n$/)
    const nowhere = await check(['--database', 'deputy.db', '--data', directory])
    assert.deepEqual([nowhere.status, nowhere.stdout], [2, ''])
    assert.match(nowhere.stderr, /^--database must be a URL like postgres:/)
    const { status, stderr } = await check([
      '--database',
      cluster.url,
      '--data',
      temporaryDirectory(context),
      '--json',
    ])
    assert.equal(status, 2)
    assert.match(JSON.parse(stderr).error, /the master key is missing/)
  })
})
