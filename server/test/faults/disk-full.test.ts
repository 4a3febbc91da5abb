import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore } from '../e2e/audit-store.ts'
import { type Oracle, oracle } from '../e2e/oracle.ts'
import { limitedFileSize, ownFileSystem, runOnFullDisk } from './small-disk.ts'

const CALLERS = 8
const REVOCATIONS = 200
/** The service probes every 5 s whether it can write again. */
const PROBE_MS = 5_000
const PATIENCE_MS = 60_000
/** On a busy machine, filling the disk takes a long time. */
const FILLING_MS = 180_000

const NO_SPACE = 'on a file system without space'
const KINDS = { [NO_SPACE]: ownFileSystem(), 'at the limit of file sizes': limitedFileSize() }

for (const [kind, aSmallDisk] of Object.entries(KINDS)) {
  describe(kind, {
    skip: aSmallDisk === undefined && 'this machine allows no process a small disk or a file size limit',
  }, () => {
    if (aSmallDisk === undefined) return

    test('with a full disk, writes return 503 with Retry-After and reads work', async (t) => {
      const { program, fill, free, copyStore } = await aSmallDisk(t)
      const client = httpClient(t, program.url)
      const before = await someWrites(client)
      const witness = oracle()
      await loadFor(witness, client, 200)
      fill()
      await useUp(witness, client)
      assert.ok(witness.refused() > 0, 'nothing was refused while the disk was full')
      for (const path of before.reads) assert.equal((await client.get(path)).status, 200, path)
      assert.equal((await client.get('/healthz')).status, 200)

      // On a full file system, a small write may still fit into the store's WAL. At a size limit, none does.
      if (kind !== NO_SPACE) await assertAllRefused(client, before)
      else await assertStopped(client, before)

      free()
      await becomesReady(client)
      await eventually('it is logged', async () =>
        program.output().includes('the store accepts changes again'),
      )
      assert.ok((await witness.retry(client)) > 0)
      await witness.assertKept(client)
      const { body } = await client.post('/v1/vat/revoke', { vat_jti: before.action.vat_jti })
      assert.equal(body.already_revoked, kind === NO_SPACE, 'it happened exactly if it was acknowledged')
      await auditStore(copyStore())
      witness.assertExactly(copyStore(), before.markers)
    })

    if (kind !== NO_SPACE) return
    test('an order to stop that comes through the directory is carried out', async (t) => {
      const { program, stop, fill } = await aSmallDisk(t)
      const client = httpClient(t, program.url)
      const { action } = await someWrites(client)
      fill()
      const [status, printed] = stop('--token', action.vat_jti)
      assert.equal(status, 0, printed)
      const { body } = await client.get(`/v1/vat/tokens/${action.vat_jti}`)
      assert.equal(body.status, 'revoked', JSON.stringify(body))
    })

    test('a store that no service uses can be opened with the reserve, to stop agents', async (t) => {
      const whole = temporaryDirectory(t)
      const program = await aProgram(t, whole)
      const { action } = await someWrites(httpClient(t, program.url))
      assert.equal(await program.stop(), 0)
      const disk = temporaryDirectory(t)
      const order = ['stop', '--data', disk, '--token', action.vat_jti]
      const [refused, said] = runOnFullDisk(whole, disk, order, { readOnly: true })
      assert.deepEqual([refused, /is read-only/.test(said)], [78, true], said)
      const [status, printed] = runOnFullDisk(whole, disk, order)
      assert.equal(status, 0, printed)
      assert.match(printed, /Stopped: 1 token revoked/)
    })

    test('a backup or a restore names the place without space, and leaves nothing there', async (t) => {
      const [whole, disk] = [temporaryDirectory(t), temporaryDirectory(t)]
      const program = await aProgram(t, whole)
      await someWrites(httpClient(t, program.url))
      assert.equal(await program.stop(), 0)
      const file = join(temporaryDirectory(t), 'kept.backup')
      const elsewhere = join(temporaryDirectory(t), 'restored')
      const env = { DEPUTY_BACKUP_PASSPHRASE: 'quince anchor violin meadow' }
      const run = (...args: string[]) => runOnFullDisk(whole, disk, args, { env })
      const backUp = ['backup', '--data', whole, '--to']
      const [kept, told] = run(...backUp, file)
      assert.equal(kept, 0, told)
      for (const [args, says] of [
        [[...backUp, join(disk, 'a.backup'), '--scratch', whole], /written at .*a\.backup: .*--to\./],
        [[...backUp, `${file}.2`, '--scratch', disk], /written at .*: .*--scratch\./],
        [
          ['restore', '--from', file, '--data', join(disk, 'restored')],
          /disk of .*restored is full .*--data\./,
        ],
        [
          ['restore', '--from', file, '--data', elsewhere, '--checkpoint', join(disk, 'checkpoint')],
          /disk of .*checkpoint is full .*--checkpoint\./,
        ],
      ] as const) {
        const [status, printed] = run(...args)
        assert.equal(status, 78, printed)
        assert.match(printed, says)
      }
      assert.ok(!existsSync(`${file}.2`))
      assert.deepEqual(readdirSync(elsewhere), ['deputy.lock'])
    })

    // Enough for the store's WAL to grow until its checkpoint, and for the checkpoint to fail halfway.
    const LEAVE_MIB = 20
    test(`the last ${LEAVE_MIB} MiB may run out at any point of any write`, async (t) => {
      const { program, fill, free, copyStore } = await aSmallDisk(t)
      const client = httpClient(t, program.url)
      const witness = oracle()
      fill(LEAVE_MIB)
      const end = performance.now() + FILLING_MS
      for (let isReady = true; isReady; isReady = (await client.get('/readyz')).status === 200) {
        assert.ok(performance.now() < end, 'the disk did not fill up')
        await loadFor(witness, client, 100)
      }
      await loadFor(witness, client, 300)
      assert.ok(witness.refused() > 0) // a small write may still fit where a larger one didn't

      free()
      await becomesReady(client)
      await witness.retry(client)
      await loadFor(witness, client, 300)
      assert.equal(await witness.retry(client), 0, 'writes were refused although there was space again')
      await witness.assertKept(client)
      await auditStore(copyStore())
      witness.assertExactly(copyStore())
    })
  })
}

async function loadFor(witness: Oracle, client: HttpClient, ms: number): Promise<void> {
  const end = performance.now() + ms
  const failures = await Promise.all(
    Array.from({ length: CALLERS }, () => witness.load(client, () => performance.now() > end)),
  )
  assert.deepEqual(failures, Array(CALLERS).fill(undefined))
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503, JSON.stringify(body))
  assert.match(body.code, /^storage_(unavailable|full)$/)
  assert.match(String(headers['content-type']), /^application\/problem\+json/)
  assert.match(String(headers['retry-after']), /^\d+$/)
}

/** Asserts that every kind of write is refused, and that readiness stays red until a write succeeds. */
async function assertAllRefused(client: HttpClient, { writes, action }: SomeWrites): Promise<void> {
  for (const [path, body] of writes) assertUnavailable(await client.post(path, body))
  assertUnavailable(await client.get('/readyz'))
  // Calls that write nothing still work, and prove nothing about the disk.
  const { body: dry } = await client.post('/v1/vat/authorize', { ...action, dry_run: true })
  assert.equal(dry.authorized, true, JSON.stringify(dry))
  assert.equal((await client.post('/v1/vat/revoke', { vat_jti: 'vat_root_x' })).status, 404)
  await sleep(PROBE_MS + 1000)
  assertUnavailable(await client.get('/readyz'))
}

/**
 * Asserts that everyone can still be stopped without any space: revocations use the reserve, more of them than an
 * incident needs. The rest of the reserve is used for nothing else.
 */
async function assertStopped(client: HttpClient, { action, spare }: SomeWrites): Promise<void> {
  for (const vat_jti of [action.vat_jti, ...spare]) {
    const { status, body } = await client.post('/v1/vat/revoke', { vat_jti, reason: 'the disk is full' })
    assert.equal(status, 200, JSON.stringify(body))
  }
  const suspended = await client.post('/v1/vat/agents/calendar-bot/suspend')
  assert.equal(suspended.status, 200, JSON.stringify(suspended.body))
  const issued = await client.post('/v1/vat/issue/l1', anIssueRequest())
  assert.deepEqual([issued.status, issued.body.code], [503, 'storage_full'])
  const ready = await client.get('/readyz')
  assert.deepEqual([ready.status, ready.body.reasons[0].code], [503, 'storage_full'])
  const resumed = await client.post('/v1/vat/agents/calendar-bot/resume')
  assert.deepEqual([resumed.status, resumed.body.code], [503, 'storage_full'])
}

type SomeWrites = Awaited<ReturnType<typeof someWrites>>

/** Writes until all writes fail for a while, because the WAL may have free space inside. */
async function useUp(witness: Oracle, client: HttpClient): Promise<void> {
  const end = performance.now() + FILLING_MS
  for (let before = -1; before !== witness.acknowledged(); ) {
    assert.ok(performance.now() < end, 'the disk did not fill up')
    before = witness.acknowledged()
    await loadFor(witness, client, 400)
  }
}

/** Waits until readiness turns green, without a write or a restart. */
async function becomesReady(client: HttpClient): Promise<void> {
  const isReady = async () => (await client.get('/readyz')).status === 200
  await eventually('the service recovers by itself', isReady, PATIENCE_MS)
}

/** A token with a completed and a pending record, writes that must fail, and reads that must work. */
async function someWrites(client: HttpClient) {
  const ok = async (path: string, body: unknown) => {
    const answer = await client.post(path, body)
    assert.equal(answer.status, 200)
    return answer.body
  }
  const { jti, provenance_ref } = await ok('/v1/vat/issue/l1', anIssueRequest({ purpose: 'first' }))
  const action = {
    vat_jti: jti,
    action: 'read',
    resource: 'calendar:events',
    metadata: { marker: 'second' },
  }
  const recorded = await ok('/v1/vat/record/action', { ...action, result: 'success' })
  const pending = await ok('/v1/vat/authorize', { ...action, metadata: { marker: 'third' } })
  const spare: string[] = []
  for (let n = 0; n < REVOCATIONS; n++)
    spare.push(
      (await ok('/v1/vat/issue/l1', anIssueRequest({ agent_id: `spare-${n}`, purpose: 'spare' }))).jti,
    )
  const writes: [string, unknown][] = [
    ['/v1/vat/issue/l1', anIssueRequest()],
    ['/v1/vat/record/action', { ...action, result: 'success' }],
    ['/v1/vat/record/batch', { items: [{ ...action, result: 'success' }] }],
    ['/v1/vat/authorize', action],
    ['/v1/vat/authorize', { ...action, action: 'delete' }],
    ['/v1/vat/authorize/batch', { items: [action, action] }],
    [`/v1/vat/aar/${pending.aar_id}/complete`, { result: 'success' }],
    [`/v1/vat/aar/${pending.aar_id}/cancel`, undefined],
    [`/v1/vat/aar/${recorded.aar_id}/feedback`, { rating: 'approved' }],
    ['/v1/vat/revoke', { vat_jti: jti }],
  ]
  const reads = [
    `/v1/vat/tokens/${jti}`,
    `/v1/vat/aar/${recorded.aar_id}`,
    `/v1/vat/aar?provenance_ref=${provenance_ref}`,
    `/v1/vat/aar/provenance/${provenance_ref}`,
    '/v1/vat/reputation/calendar-bot',
    '/v1/vat/denials',
    '/.well-known/jwks.json',
    '/metrics',
  ]
  const issue = ['first', ...spare.map(() => 'spare')]
  return { action, spare, writes, reads, markers: { issue, record: ['second', 'third'] } }
}
