import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore, logSize } from '../e2e/audit-store.ts'
import { type Oracle, oracle } from '../e2e/oracle.ts'

const CALLERS = 8
const PATIENCE_MS = 60_000
const hasCompiler = spawnSync('cc', ['--version']).status === 0

describe('while the disk accepts writes but cannot sync them', {
  skip: !hasCompiler && 'no C compiler (cc) on this machine',
}, () => {
  test('nothing is acknowledged, and the service recovers by itself', async (t) => {
    const { program, breakSyncs, mendSyncs } = await aBreakableProgram(t)
    const client = httpClient(t, program.url)
    const witness = oracle()
    assert.deepEqual(await loadFor(witness, client, 300), { refused: 0 })
    assert.ok(witness.acknowledged() > 0)

    breakSyncs()
    const before = witness.acknowledged()
    const { refused } = await loadFor(witness, client, 300)
    assert.ok(refused > 0)
    assert.equal(witness.acknowledged(), before, 'a write was acknowledged that is not on disk')
    assertUnavailable(await client.post('/v1/vat/issue/l1', anIssueRequest()))
    assertUnavailable(await client.get('/readyz'))
    assert.equal((await client.get('/v1/vat/aar?limit=1')).status, 200)

    mendSyncs()
    await becomesReady(client)
    await witness.retry(client)
    assert.deepEqual(await loadFor(witness, client, 300), { refused: 0 })
    await witness.assertKept(client)
    await auditStore(program.directory)
    witness.assertExactly(program.directory)
  })

  test('a refused write is not visible, and its key creates one record later', async (t) => {
    const { program, breakSyncs, mendSyncs } = await aBreakableProgram(t)
    const client = httpClient(t, program.url)
    const { body: token } = await client.post('/v1/vat/issue/l1', anIssueRequest())
    const write = [
      '/v1/vat/record/action',
      { vat_jti: token.jti, action: 'read', resource: 'calendar:events', result: 'success' },
      { 'idempotency-key': 'again' },
    ] as const
    breakSyncs()
    for (let n = 0; n < 5; n++) assertUnavailable(await client.post(...write))
    // Whether the rows of the token can be shown depends on when the disk failed.
    const summary = await client.get(`/v1/vat/aar/provenance/${token.provenance_ref}`)
    if (summary.status === 200) assert.equal(summary.body.total_records, 0)
    else assertUnavailable(summary)
    mendSyncs()
    const answers = [await client.post(...write), await client.post(...write)]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual(answers[0]?.body, answers[1]?.body)
    const { body: later } = await client.get(`/v1/vat/aar/provenance/${token.provenance_ref}`)
    assert.equal(later.total_records, 1)
  })

  test('a crash meanwhile loses and duplicates nothing', async (t) => {
    const first = await aBreakableProgram(t)
    const witness = oracle()
    await loadFor(witness, httpClient(t, first.program.url), 300)
    first.breakSyncs()
    await loadFor(witness, httpClient(t, first.program.url), 300)
    await first.program.kill()

    // Writes that weren't synced may be stored or not. Either way, a retry leaves exactly one.
    const second = await aProgram(t, first.program.directory)
    const client = httpClient(t, second.url)
    await auditStore(first.program.directory)
    assert.ok((await witness.retry(client)) > 0)
    await witness.assertKept(client)
    await auditStore(first.program.directory)
    witness.assertExactly(first.program.directory)
  })
})

/** The program with a shim between it and the disk, which is compiled here. */
async function aBreakableProgram(scope: TestScope) {
  const directory = temporaryDirectory(scope)
  const workshop = temporaryDirectory(scope)
  const shim = join(workshop, 'sync-shim.so')
  const flag = join(workshop, 'syncs-fail')
  const source = join(import.meta.dirname, 'sync-shim.c')
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, source, '-ldl'])
  assert.equal(built.status, 0, String(built.stderr))
  const program = await aProgram(scope, directory, { LD_PRELOAD: shim, SYNC_FAILS_WHILE: flag })
  return {
    program: { ...program, directory },
    breakSyncs: () => writeFileSync(flag, ''),
    mendSyncs: () => rmSync(flag),
  }
}

/** Writes for a while and resolves to the number of refused writes. All others were acknowledged. */
async function loadFor(witness: Oracle, client: HttpClient, ms: number): Promise<{ refused: number }> {
  const end = performance.now() + ms
  const refused = witness.refused()
  const failures = await Promise.all(
    Array.from({ length: CALLERS }, () => witness.load(client, () => performance.now() > end)),
  )
  assert.deepEqual(failures, Array(CALLERS).fill(undefined))
  return { refused: witness.refused() - refused }
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503, JSON.stringify(body))
  assert.equal(body.code, 'storage_unavailable')
  assert.match(String(headers['retry-after']), /^\d+$/)
}

async function becomesReady(client: HttpClient): Promise<void> {
  const isReady = async () => (await client.get('/readyz')).status === 200
  await eventually('the service recovers by itself', isReady, PATIENCE_MS)
}

/** Matches what /proc shows for a file that is open for writing. */
const OPEN_FOR_WRITING = /^flags:\s+\d*2$/m

describe('when the store file becomes unwritable', {
  skip: process.platform !== 'linux' && 'only Linux lists open files in /proc',
}, () => {
  test('journaled writes are kept, others are refused, reads work, and nothing is lost or duplicated', async (t) => {
    const service = await aTestApp(t)
    const { body: token } = await service.post('/v1/vat/issue/l1', anIssueRequest())
    const write = (key: string) =>
      service.post(
        '/v1/vat/record/action',
        { vat_jti: token.jti, action: 'read', resource: 'calendar:events', result: 'success' },
        { 'idempotency-key': key },
      )
    assert.equal((await service.get(`/v1/vat/tokens/${token.jti}`)).body.status, 'live')
    const before = logSize(service.directory)

    const wal = join(service.directory, 'deputy.db-wal')
    const handle = writingHandle(wal)
    closeSync(handle)
    const placeholder = openSync('/', 'r') // keeps the descriptor number in use; it accepts neither reads nor writes
    assert.equal(placeholder, handle)
    const kept = await write('kept') // the journal is another file
    assert.equal(kept.status, 200)
    assert.equal((await service.get(`/v1/vat/tokens/${token.jti}`)).body.status, 'live')
    for (let n = 0; n < 3; n++) assertUnavailable(await write('refused'))
    assertUnavailable(await service.post('/v1/vat/revoke', { vat_jti: token.jti }))
    assertUnavailable(await service.get('/readyz'))
    assert.equal(logSize(service.directory), before)

    closeSync(handle)
    assert.equal(openSync(wal, 'r+'), handle)
    assert.deepEqual((await write('kept')).body, kept.body)
    const later = await write('refused')
    assert.equal(later.status, 200)
    assert.notEqual(later.body.aar_id, kept.body.aar_id)
    assert.equal((await service.get(`/v1/vat/tokens/${token.jti}`)).body.status, 'live')
    assert.equal((await service.get('/readyz')).status, 200)
    await service.close() // the check removes the journal of a store whose lock isn't held
    assert.equal(await auditStore(service.directory), before + 2)
  })
})

/** The descriptor with which the store writes to a file: the lowest, because it was opened before any reader. */
function writingHandle(path: string): number {
  const handles = readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return (
        readlinkSync(`/proc/self/fd/${fd}`) === path &&
        OPEN_FOR_WRITING.test(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))
      )
    } catch {
      return false // the handle that listed the others is closed by now
    }
  })
  assert.ok(handles.length > 0, `no handle writes to ${path}`)
  return Math.min(...handles.map(Number))
}
