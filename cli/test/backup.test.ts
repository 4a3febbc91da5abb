import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { runDeputy } from './commands/run-deputy.ts'

/** Few: drill.test.ts has many. */
const RECORDS = 300
const AT_ONCE = 100
const ENV = { DEPUTY_BACKUP_PASSPHRASE: 'quince anchor violin meadow' }

async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body
}

const issue = (client: HttpClient, agent_id: string) =>
  done(client.post('/v1/vat/issue/l1', anIssueRequest({ agent_id })))

const anAction = (vat_jti: string) => ({ vat_jti, action: 'read', resource: 'calendar:events' })

/** Records many actions and returns their IDs. */
async function record(client: HttpClient, vat_jti: string, count: number): Promise<string[]> {
  const items = Array(count).fill({ ...anAction(vat_jti), result: 'success' })
  const { items: answers } = await done(client.post('/v1/vat/record/batch', { items }))
  return answers.map(({ answer }: { answer: { aar_id: string } }) => answer.aar_id)
}

interface KeptEvent {
  readonly log_index: number
}

/** Every stop of the service, in the form in which an event archive keeps it. */
async function stopsOf(client: HttpClient): Promise<KeptEvent[]> {
  const events: KeptEvent[] = []
  let after = -1
  for (;;) {
    const path = `/v1/vat/events?after=${after}&limit=200&type=token.revoked&type=agent.suspended`
    const { data, next_cursor, has_more } = await done(client.get(path))
    events.push(...data)
    if (has_more !== true) return events
    after = next_cursor
  }
}

async function deputy(status: number, ...args: string[]): Promise<string> {
  const ended = await runDeputy(args, ENV)
  assert.equal(ended.status, status, `${args.join(' ')}\n${ended.stdout}${ended.stderr}`)
  return ended.stdout + ended.stderr
}

describe('deputy backup and deputy restore', async () => {
  const home = temporaryDirectory({ after })
  const data = join(home, 'data')
  const [file, archive] = [join(home, 'a.backup'), join(home, 'events.jsonl')]
  const checkpoint = join(data, 'checkpoint')
  const program = await aProgram({ after }, data)
  const client = httpClient({ after }, program.url)
  const [token, revoked] = [await issue(client, 'calendar-bot'), await issue(client, 'mail-bot')]
  const acknowledged: string[] = []
  while (acknowledged.length < RECORDS) acknowledged.push(...(await record(client, token.jti, AT_ONCE)))

  test('back up a service that writes, with everything that it had acknowledged', async () => {
    let isDone = false
    const load = (async () => {
      while (!isDone) {
        await record(client, token.jti, AT_ONCE)
        await sleep(200) // writes during the backup, but adds little to check
      }
    })()
    const printed = JSON.parse(await deputy(0, 'backup', '--data', data, '--to', file, '--json'))
    isDone = true
    await load
    assert.equal(printed.checked, true)
    assert.ok(printed.manifest.log.size >= RECORDS + 2)
    assert.ok(printed.tables.records.rows >= RECORDS)
    const { origin } = (await done(client.get('/.well-known/deputy.json'))).log
    assert.equal(printed.manifest.log.origin, origin)
    assert.match(await deputy(78, 'backup', '--data', data, '--to', file), /never overwritten/)
    assert.deepEqual(readdirSync(home).sort(), ['a.backup', 'data'])
    assert.equal(statSync(file).mode & 0o077, 0)
  })

  test('restore it with the stops that came later, on a new log, because published entries are lost', async (t) => {
    await done(client.post('/v1/vat/revoke', { vat_jti: revoked.jti }))
    await done(client.post('/v1/vat/agents/mail-bot/suspend', { reason: 'It reads everything' }))
    const stops = await stopsOf(client)
    writeFileSync(archive, stops.map((event) => JSON.stringify(event)).join('\n'))
    const last = stops.at(-1)?.log_index ?? Number.POSITIVE_INFINITY
    const signed = () => Number(readFileSync(checkpoint, 'utf8').split('\n')[1])
    await eventually('the stops are signed', () => signed() > last)
    const restored = join(home, 'restored')
    const target = ['--from', file, '--data', restored]
    assert.match(await deputy(4, 'restore', ...target, '--newest', checkpoint), /--accept-loss/)
    assert.ok(!existsSync(restored))
    mkdirSync(restored, { mode: 0o755 })
    const accepted = ['--newest', checkpoint, '--accept-loss', '--events', archive]
    const printed = await deputy(0, 'restore', ...target, ...accepted)
    assert.match(printed, /published entries are lost[\s\S]*^A NEW LOG begins/m)
    assert.match(printed, /^Re-applied 2 stops from the events\.$/m)
    const readable = readdirSync(restored).filter((name) => statSync(join(restored, name)).mode & 0o077)
    assert.deepEqual([readable, statSync(restored).mode & 0o077], [[], 0])
    assert.match(await deputy(0, 'check', '--data', restored), /\nSound: /)

    const again = await aProgram(t, restored)
    const calls = httpClient(t, again.url)
    for (const aar_id of acknowledged.slice(0, 50)) await done(calls.get(`/v1/vat/aar/${aar_id}`))
    const answer = await done(calls.post('/v1/vat/authorize', anAction(revoked.jti)))
    assert.deepEqual(answer.reasons, ['token_revoked', 'agent_suspended'])
    await record(calls, token.jti, 1)
    const lost = await calls.get(`/v1/vat/events?after=${last}`)
    assert.deepEqual([lost.status, lost.body.code], [410, 'log_restored'])
    const { data: follows } = await done(calls.get(`/v1/vat/events?after=${lost.body.after}`))
    assert.equal(follows[0].type, 'deployment.restored')
    assert.notEqual(
      follows[0].id,
      `evt_${follows[0].log_index}`,
      'others have seen another event of this index',
    )
    const { log } = await done(calls.get('/.well-known/deputy.json'))
    assert.match(log.origin, /\/restored\/1$/)
    assert.equal(await again.stop(), 0)
    const elsewhere = await refusedStart(restored, { DEPUTY_CHECKPOINT_FILE: checkpoint })
    assert.match(elsewhere.output, /is not a checkpoint of this log/, 'the old log has ended')
  })

  test('say what was re-applied, also if the log continues', async () => {
    const [newest, moved] = [join(home, 'newest.backup'), join(home, 'moved')]
    await deputy(0, 'backup', '--data', data, '--to', newest)
    const target = ['--from', newest, '--data', moved, '--newest', checkpoint, '--events', archive]
    assert.match(
      await deputy(0, 'restore', ...target),
      /^The log \S+ continues[\s\S]*^Re-applied 0 stops from the events\.$/m,
    )
  })

  test('refuse a wrong passphrase, a changed byte and a cut file, and leave nothing behind', async () => {
    const target = join(home, 'never')
    const whole = readFileSync(file)
    const damaged = join(home, 'damaged')
    const attempt = async (bytes: Buffer, env = ENV) => {
      writeFileSync(damaged, bytes)
      const ended = await runDeputy(['restore', '--from', damaged, '--data', target], env)
      assert.deepEqual([ended.status, ended.stdout], [78, ''])
      return ended.stderr
    }
    assert.match(
      await attempt(whole, { DEPUTY_BACKUP_PASSPHRASE: 'another passphrase' }),
      /^The passphrase does not open/,
    )
    const changed = Buffer.from(whole)
    changed[whole.length - 1_000] = (changed[whole.length - 1_000] ?? 0) ^ 1
    assert.match(await attempt(changed), /was changed/)
    assert.match(await attempt(whole.subarray(0, whole.length - 10)), /changed or cut off/)
    assert.deepEqual(existsSync(target) ? readdirSync(target) : [], ['deputy.lock'])
    const usage = await runDeputy(['backup', '--data', data, '--to', join(home, 'none')])
    assert.deepEqual([usage.status, /DEPUTY_BACKUP_PASSPHRASE/.test(usage.stderr)], [2, true])
  })
})
