import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { aProgram } from '@deputize/testing/program.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples/node/', import.meta.url))
const run = promisify(execFile)
const open = await anOpenDeployment({ after })

describe('the examples', () => {
  test('are all run here or in integrations/, and linked from the guide', () => {
    const guide = readFileSync(join(EXAMPLES, '../../docs/guides/sdk-node.md'), 'utf8')
    const names = globSync('*.ts', { cwd: EXAMPLES }).sort()
    assert.deepEqual(names, [
      'express-guard.ts',
      'fastify-guard.ts',
      'hono-guard.ts',
      'offline.ts',
      'opentelemetry.ts',
      'proving-agent.ts',
      'quick-start.ts',
      'worker.ts',
    ])
    for (const name of names)
      assert.ok(name === 'quick-start.ts' || guide.includes(`examples/node/${name}`), name)
  })

  test('quick-start acts, delegates, is denied and is rated', async () => {
    const env = { ...process.env, DEPUTY_URL: open.url }
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'quick-start.ts')], { env })
    assert.equal(
      stdout,
      'refused: action_not_in_scope\n' +
        'agent:mail-bot write calendar:events: success\n' +
        'agent:calendar-bot read calendar:events: success\n' +
        'reputation of calendar-bot: 1\n',
    )
  })

  test('offline verifies a token and a receipt, and rejects changed and revoked ones', async () => {
    const env = { ...process.env, DEPUTY_URL: open.url }
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'offline.ts')], { env })
    assert.match(
      stdout,
      /^agent:calendar-bot may read\nthe log says: created, completed\na changed receipt: \w+\nafter the revocation: token_revoked\n$/,
    )
  })

  test('proving-agent acts in keyed mode with its own key', async (t) => {
    const keyed = await aKeyedDeployment(t)
    const { key } = await keyed.operator.createKey({ name: 'example', role: 'developer' })
    const env = { ...process.env, DEPUTY_URL: keyed.url, DEPUTY_API_KEY: key }
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'proving-agent.ts')], { env })
    assert.equal(stdout, 'completed\n')
  })

  test('opentelemetry prints one trace, with the ID in the record', async () => {
    const env = { ...process.env, DEPUTY_URL: open.url }
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'opentelemetry.ts')], { env })
    const [trace_id = ''] = /[0-9a-f]{32}/.exec(stdout) ?? []
    assert.equal(
      stdout,
      `${trace_id} ask the calendar\n` +
        `${trace_id} execute_tool list_events\n` +
        `${trace_id} plan my day\n` +
        `the record: ${trace_id}\n`,
    )
  })

  for (const framework of ['express', 'fastify', 'hono'])
    test(`${framework}-guard admits and refuses requests`, async (t) => {
      const command = [process.execPath, join(EXAMPLES, `${framework}-guard.ts`)]
      const api = await aProgram(t, '/nowhere', { DEPUTY_URL: open.url }, command)
      const { compact_jwt } = await open.token()
      const call = (path: string, method: string, headers = {}) =>
        fetch(`${api.url}${path}`, { method, headers })
      const headers = { authorization: `Bearer ${compact_jwt}` }
      const created = await call('/events', 'POST', headers)
      assert.deepEqual(await created.json(), { created: true, by: 'agent:calendar-bot' })
      assert.equal((await call('/calendars/events', 'GET', headers)).status, 200)
      assert.equal((await call('/calendars/private', 'GET', headers)).status, 403)
      assert.equal((await call('/events', 'POST')).status, 401)
    })
})
