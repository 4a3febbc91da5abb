import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deputy, deputy } from '@deputize/sdk'
import { freePort } from '@deputize/testing/free-port.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { callerOf } from './run-deputy.ts'

const scope = { after }
const NAMES = ['authorize and complete', 'record', 'summary', 'verify known token']
const SMALL = ['bench', '--yes', '--calls=20', '--connections=4', '--seconds=30']

interface Measured {
  readonly name: string
  readonly calls: number
  readonly failed: number
  readonly per_second: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
}

/** The status of each token of the benchmark. */
async function statesOf(client: Deputy): Promise<string[]> {
  const { data } = await client.listTokens({ agent_id: 'deputy-bench' })
  return data.map(({ status }) => status)
}

describe('deputy bench', async () => {
  const { url } = await aProgram(scope, temporaryDirectory(scope))
  const { words, json } = callerOf(url)
  const client = deputy({ url })

  test('refuses to run without --yes', async () => {
    assert.match(await words(2, 'bench'), /Pass --yes/)
    assert.deepEqual(await statesOf(client), [])
  })

  test('measures every kind of call within its limits and revokes its token', async () => {
    const { measured, is_whole, access } = await json(0, ...SMALL)
    assert.deepEqual([access, is_whole], ['open', true])
    assert.deepEqual(
      measured.map(({ name, calls, failed }: Measured) => [name, calls, failed]),
      NAMES.map((name) => [name, 20, 0]),
    )
    for (const { per_second, p50_ms, p95_ms, p99_ms } of measured) {
      assert.ok(per_second > 0)
      assert.ok(0 < p50_ms && p50_ms <= p95_ms && p95_ms <= p99_ms)
    }
    assert.deepEqual(await statesOf(client), ['revoked'])
    const { data } = await client.listRecords({ agent_id: 'deputy-bench', limit: 200 })
    assert.equal(data.length, 42, 'twenty of each, and one to warm up')
    assert.ok(data.every(({ state }) => state === 'completed'))
    const shown = await words(0, ...SMALL)
    assert.match(shown, /^call +per second +p50 +p95 +p99 +calls +failed\n/)
    assert.ok(shown.split('\n').every((line) => line.length <= 80))
  })

  test('revokes its token on Ctrl-C and exits with 130', async () => {
    const child = spawn(process.execPath, [CLI, 'bench', '--yes', '--seconds=60', '--url', url], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: 'ignore',
    })
    const ended = once(child, 'close')
    while (!(await statesOf(client)).includes('live')) await sleep(50)
    await sleep(300)
    child.kill('SIGINT')
    const [code] = await ended
    assert.equal(code, 130)
    assert.ok((await statesOf(client)).every((state) => state === 'revoked'))
    const { data } = await client.listRecords({ agent_id: 'deputy-bench', state: 'pending' })
    assert.deepEqual(data, [], 'what had begun was finished')
  })
})

describe('deputy bench in keyed mode', async () => {
  const home = temporaryDirectory(scope)
  const { url, output } = await aProgram(scope, temporaryDirectory(scope), {
    PORT: String(await freePort()),
    DEPUTY_ACCESS: 'keyed',
  })
  const [setup_secret = ''] = /dsu_[\w-]+/.exec(output()) ?? []
  const { key: operator } = await deputy({ url }).setUp({ setup_secret })
  const { key: developer } = await deputy({ url, key: operator }).createKey({
    name: 'bench',
    role: 'developer',
  })
  const fileOf = (name: string, key: string) => {
    writeFileSync(join(home, name), key)
    return callerOf(url, ['--api-key-file', join(home, name)])
  }

  test('needs the API key of a developer and says so', async () => {
    assert.equal((await callerOf(url).json(4, ...SMALL)).code, 'credential_required')
    assert.match(await fileOf('operator', operator).words(4, ...SMALL), /only the API key of a developer can/)
    const { access, measured } = await fileOf('developer', developer).json(0, ...SMALL)
    assert.equal(access, 'keyed')
    assert.deepEqual(
      measured.map(({ calls, failed }: Measured) => [calls, failed]),
      NAMES.map(() => [20, 0]),
    )
    assert.deepEqual(await statesOf(deputy({ url, key: developer })), ['revoked'])
  })
})
