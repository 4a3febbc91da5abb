import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { append, emptyFrontier, leafHash, openCheckpoint, readVkey, rootOf } from '@deputize/protocol'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'

/** Number of times that the power fails. For a long run: POWER_LOSSES=50. */
const LOSSES = Number(process.env.POWER_LOSSES ?? 2)
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const CALLERS = 8
const LIMIT = { timeout: 300_000 + 20_000 * LOSSES }

/** A machine whose power can fail, which loses everything that wasn't synced. */
interface Machine {
  start(): Promise<Program>
  losePower(program: Program): Promise<void>
}

/** The store is on its own file system in a file. A copy of that file is the content of the disk at that instant. */
function ownDisk(scope: TestScope): Machine | undefined {
  const directory = temporaryDirectory(scope)
  const mounted = join(directory, 'mounted')
  mkdirSync(mounted)
  let image = join(directory, 'disk-0')
  // Not every user has the administrator's programs on the path.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  const made =
    spawnSync('truncate', ['-s', '96M', image]).status === 0 &&
    spawnSync('mkfs.ext4', ['-q', '-F', image], { env }).status === 0
  const mount = 'mount -o loop "$1" "$2" && shift 2 && exec "$@"'
  const inside = ['unshare', '--mount', 'sh', '-c', mount, 'sh']
  if (!made || spawnSync('unshare', [...inside.slice(1), image, mounted, 'true']).status !== 0)
    return undefined
  let disks = 0
  return {
    start: () => aProgram(scope, mounted, {}, [...inside, image, mounted, process.execPath, MAIN]),
    async losePower(program) {
      program.process.kill('SIGSTOP')
      disks += 1
      const next = join(directory, `disk-${disks}`)
      copyFileSync(image, next)
      await program.kill()
      image = next
    },
  }
}

/** If file systems can't be mounted, only the process is killed. */
function onlyTheProcess(scope: TestScope): Machine {
  const directory = temporaryDirectory(scope)
  return { start: () => aProgram(scope, directory), losePower: (program) => program.kill() }
}

/** What a client has seen: acknowledged records and served checkpoints. */
interface Seen {
  readonly records: string[]
  readonly checkpoints: Set<string>
}

async function work(scope: TestScope, url: string, seen: Seen): Promise<void> {
  const client = httpClient(scope, url, CALLERS + 1)
  const { body: token } = await client.post('/v1/vat/issue/l1', anIssueRequest())
  const action = { vat_jti: token.jti, action: 'read', resource: 'calendar:events', result: 'success' }

  async function record(): Promise<void> {
    for (;;) {
      const { status, body } = await client.post('/v1/vat/record/action', action)
      assert.equal(status, 200)
      seen.records.push(body.aar_id)
    }
  }
  async function watch(): Promise<void> {
    for (;;) {
      const response = await fetch(`${url}/checkpoint`)
      seen.checkpoints.add(await response.text())
      await sleep(5)
    }
  }
  await Promise.allSettled([...Array.from({ length: CALLERS }, record), watch()])
}

/** Asserts that the log contains all records and extends every checkpoint that was seen. Returns its size. */
async function assertKept(url: string, { records, checkpoints }: Seen): Promise<number> {
  const deployment = (await (await fetch(`${url}/.well-known/deputy.json`)).json()) as {
    log: { vkey: string }
  }
  const key = readVkey(deployment.log.vkey)
  const roots: string[] = [hex(rootOf(emptyFrontier()))]
  const frontier = emptyFrontier()
  const recorded = new Set<string>()
  for (let start = 0; ; ) {
    const response = await fetch(`${url}/v1/vat/log/entries?start=${start}&limit=1000`)
    const page = (await response.json()) as {
      data: { leaf: string }[]
      next_start: number
      has_more: boolean
    }
    for (const { leaf } of page.data) {
      append(frontier, leafHash(leaf))
      roots.push(hex(rootOf(frontier)))
      recorded.add(JSON.parse(leaf).aar_id)
    }
    start = page.next_start
    if (!page.has_more) break
  }
  for (const note of checkpoints) {
    const { size, root } = await openCheckpoint(note, key)
    assert.equal(hex(root), roots[size], `the checkpoint over ${size} entries is not of this log`)
  }
  for (const aar_id of records) assert.ok(recorded.has(aar_id), `${aar_id} was acknowledged and is lost`)
  return frontier.size
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('when the power fails', () => {
  test(
    `a disk without its unsynced writes keeps everything acknowledged, ${LOSSES} times`,
    LIMIT,
    async (t) => {
      const disk = ownDisk(t)
      if (disk === undefined) t.skip('this machine cannot mount a file as a disk')
      else await assertSurvives(t, disk)
    },
  )

  test(`a killed process keeps everything acknowledged, ${LOSSES} times`, LIMIT, async (t) => {
    await assertSurvives(t, onlyTheProcess(t))
  })
})

/**
 * Asserts that the recovered log extends every checkpoint that a client saw, and contains every acknowledged record.
 */
async function assertSurvives(t: TestContext, machine: Machine): Promise<void> {
  const seen: Seen = { records: [], checkpoints: new Set() }
  let program = await machine.start()
  let entries = 0
  for (let loss = 0; loss < LOSSES; loss += 1) {
    const before = { records: seen.records.length, checkpoints: seen.checkpoints.size }
    const load = work(t, program.url, seen)
    const isBusy = () =>
      seen.records.length > before.records + 50 && seen.checkpoints.size > before.checkpoints + 1
    await eventually('records and checkpoints before the loss', isBusy)
    await sleep(Math.random() * 500) // at any point of the work
    await machine.losePower(program)
    await load
    program = await machine.start()
    entries = await assertKept(program.url, seen)
  }
  assert.ok(seen.checkpoints.size > LOSSES, `only ${seen.checkpoints.size} checkpoints were seen`)
  assert.ok(seen.records.length > 50 * LOSSES)
  t.diagnostic(
    `${LOSSES} losses, ${seen.checkpoints.size} checkpoints and ${seen.records.length} records seen, ${entries} entries, all kept`,
  )
}
