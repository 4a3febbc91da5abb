import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI, COMPILE_CACHE } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

/** For a long run: BACKUP_RECORDS=1000000. */
const RECORDS = Number(process.env.BACKUP_RECORDS ?? 10_000)
const AT_ONCE = 1_000
const CALLERS = 8
/** Number of changes measured before the backup, for comparison. */
const MEASURED = 500
const LIMIT_MS = 300_000 + RECORDS
const MIB = 1024 * 1024
const ENV = { DEPUTY_BACKUP_PASSPHRASE: 'quince anchor violin meadow' }

interface Ended {
  readonly stdout: string
  readonly seconds: number
  /** The peak memory of the command, if the system reports it. */
  readonly most_mib: number | undefined
}

/** Runs a command of the guide. */
async function deputy(status: number, ...args: string[]): Promise<Ended> {
  const started = performance.now()
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: '/nowhere', ...COMPILE_CACHE, ...ENV },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text
    })
  let most_mib: number | undefined
  const watch = setInterval(() => {
    most_mib = peakMib(child.pid) ?? most_mib
  }, 50)
  const [code] = await once(child, 'close')
  clearInterval(watch)
  assert.equal(code, status, `${args.join(' ')}\n${printed.stdout}${printed.stderr}`)
  return { stdout: printed.stdout, seconds: (performance.now() - started) / 1000, most_mib }
}

function peakMib(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return undefined
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8')) ?? []
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** Callers that each write one record after another and remember every acknowledged one. */
function load(client: HttpClient, vat_jti: string) {
  const acknowledged: string[] = []
  let waits_ms: number[] = []
  let isOver = false
  const act = { vat_jti, action: 'read', resource: 'calendar:events', result: 'success' }
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const asked = performance.now()
      const { aar_id } = await okBody(client.post('/v1/vat/record/action', act))
      waits_ms.push(performance.now() - asked)
      acknowledged.push(aar_id)
    }
  })
  return {
    acknowledged,
    /** The 99th percentile of the waits since the last call, in milliseconds. */
    p99(): number {
      const sorted = waits_ms.sort((a, b) => a - b)
      waits_ms = []
      return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
    },
    async end(): Promise<void> {
      isOver = true
      await Promise.all(callers)
    },
  }
}

async function fill(client: HttpClient, vat_jti: string, acknowledged: string[]): Promise<void> {
  const item = { vat_jti, action: 'read', resource: 'calendar:events', result: 'success' }
  const items = Array(AT_ONCE).fill(item)
  while (acknowledged.length < RECORDS) {
    const { items: answers } = await okBody(client.post('/v1/vat/record/batch', { items }))
    for (const { answer } of answers) acknowledged.push(answer.aar_id)
  }
}

test('the drill of the guide keeps what was acknowledged before a backup under load, and names what was cut', {
  timeout: LIMIT_MS,
}, async (t) => {
  const home = temporaryDirectory(t)
  const [data, drill] = [join(home, 'data'), join(home, 'drill')]
  const [file, archive] = [join(home, 'monday.backup'), join(home, 'events.jsonl')]
  const program = await aProgram(t, data)
  const client = httpClient(t, program.url, 2 * CALLERS)
  const issue = (agent_id: string) => okBody(client.post('/v1/vat/issue/l1', anIssueRequest({ agent_id })))
  const [token, later] = [await issue('calendar-bot'), await issue('mail-bot')]
  const before: string[] = []
  await fill(client, token.jti, before)

  const callers = load(client, token.jti)
  await eventually('callers write', () => callers.acknowledged.length >= MEASURED)
  const usual_ms = callers.p99()
  before.push(...callers.acknowledged)
  const backup = await deputy(0, 'backup', '--data', data, '--to', file, '--json')
  const busy_ms = callers.p99()
  const during = callers.acknowledged.length - (before.length - RECORDS)
  await okBody(client.post('/v1/vat/revoke', { vat_jti: later.jti }))
  await callers.end()
  const { manifest, tables, checked } = JSON.parse(backup.stdout)
  assert.equal(checked, true)
  const events = await revocationsAfter(client, manifest.log.size - 1)
  assert.equal(events.length, 1)
  writeFileSync(archive, events.map((event) => JSON.stringify(event)).join('\n'))
  const checkpoint = join(data, 'checkpoint')
  const published = () => Number(readFileSync(checkpoint, 'utf8').split('\n')[1])
  await eventually('the revocation is published', () => published() > (events[0]?.log_index ?? 0))
  assert.equal(await program.stop(), 0)

  const restored = await deputy(
    0,
    ...['restore', '--from', file, '--data', drill, '--events', archive],
    ...['--newest', checkpoint, '--accept-loss', '--json'],
  )
  const report = JSON.parse(restored.stdout)
  const check = await deputy(0, 'check', '--data', drill, '--json')
  assert.equal(JSON.parse(check.stdout).sound, true)

  const stored = storedRecords(drill)
  const promised = new Set([...before, ...callers.acknowledged])
  assert.equal(stored.length, new Set(stored).size, 'a record is there twice')
  assert.equal(stored.length, tables.records.rows)
  assert.ok(
    stored.every((aar_id) => promised.has(aar_id)),
    'a record is there that nobody was promised',
  )
  const kept = new Set(stored)
  const lost = before.filter((aar_id) => !kept.has(aar_id)).length
  assert.equal(lost, 0, 'what was acknowledged before the backup began is lost')
  const cut = promised.size - stored.length
  assert.ok(during > 0 && cut > 0, 'nobody wrote during the backup or after it')
  const { size } = report.backup.log
  assert.equal(size, manifest.log.size)
  assert.equal(
    report.log.newest_size - size,
    cut + 1,
    'the report names what was cut: records and the revocation',
  )
  assert.equal(report.reapplied.applied, 1)

  const again = await aProgram(t, drill, { DEPUTY_QUIET: 'on' })
  const calls = httpClient(t, again.url)
  assert.equal((await calls.get('/readyz')).status, 200)
  const use = { vat_jti: later.jti, action: 'read', resource: 'calendar:events' }
  assert.deepEqual((await okBody(calls.post('/v1/vat/authorize', use))).reasons, ['token_revoked'])
  assert.equal(await again.stop(), 0)

  const took = ({ seconds, most_mib = Number.NaN }: Ended) =>
    `${seconds.toFixed(1)} s, ${most_mib.toFixed(0)} MiB`
  t.diagnostic(
    `${RECORDS} records: backup ${took(backup)}, ${(statSync(file).size / MIB).toFixed(1)} MiB; restore ${took(restored)}; check ${took(check)}`,
  )
  t.diagnostic(
    `p99 of a change ${usual_ms.toFixed(1)} ms before and ${busy_ms.toFixed(1)} ms during the backup; ${promised.size} acknowledged, ${during} of them during it, ${lost} lost, 0 doubled, ${cut} cut`,
  )
})

/** The revocations after a leaf, in the form in which an event archive keeps them. */
async function revocationsAfter(
  client: HttpClient,
  index: number,
): Promise<{ readonly log_index: number }[]> {
  const path = `/v1/vat/events?after=${index}&limit=200&type=token.revoked`
  const { data, next_cursor, has_more } = await okBody(client.get(path))
  return has_more === true ? [...data, ...(await revocationsAfter(client, next_cursor))] : data
}

function storedRecords(directory: string): string[] {
  const db = new DatabaseSync(join(directory, 'deputy.db'), { readOnly: true })
  try {
    return db
      .prepare('SELECT aar_id FROM records')
      .all()
      .map(({ aar_id }) => String(aar_id))
  } finally {
    db.close()
  }
}
