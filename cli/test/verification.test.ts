import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { packProgress } from '../src/verification/fetch-pack.ts'
import { runDeputy } from './commands/run-deputy.ts'

let engine = ''
const data = mkdtempSync(join(tmpdir(), 'deputy-data-'))
before(
  async () => {
    engine = await anEngine()
  },
  { timeout: 300_000 },
)
after(() => rmSync(data, { recursive: true }))

describe('deputy verification', () => {
  test('status says that no pack is there, and how to get one', async () => {
    const { status, stdout } = await runDeputy(['verification', 'status', '--data', data])
    assert.equal(status, 1)
    assert.match(stdout, /^state +absent\n/)
    assert.match(stdout, /deputy verification install/)
  })

  test('status of a whole pack exits with 0 and answers in JSON', async () => {
    const args = ['verification', 'status', '--json']
    const { status, stdout } = await runDeputy(args, { DEPUTY_ENGINE_DIR: engine })
    const answer = JSON.parse(stdout)
    assert.equal(status, 0)
    assert.equal(answer.state, 'ready')
    assert.equal(answer.folder, engine)
    assert.equal(join(dirname(engine), answer.version), engine)
  })

  test('install checks a copied pack and fetches nothing', async () => {
    const { status, stdout } = await runDeputy(['verification', 'install'], {
      DEPUTY_ENGINE_DIR: engine,
      PATH: '',
    })
    assert.equal(status, 0)
    assert.match(stdout, /^state +ready\n/)
  })

  test('install without npm exits with 3 and names the way out', async () => {
    const args = ['verification', 'install', '--data', data]
    const { status, stderr } = await runDeputy(args, { PATH: '' })
    assert.equal(status, 3)
    assert.match(stderr, /npm is not installed.*DEPUTY_ENGINE_DIR/)
  })

  test('install refuses while the engine is off', async () => {
    const { status, stderr } = await runDeputy(['verification', 'install'], { DEPUTY_ENGINE: 'off' })
    assert.equal(status, 78)
    assert.match(stderr, /Remove DEPUTY_ENGINE=off/)
  })

  test('bundle refuses a system without a native library', async () => {
    const args = ['verification', 'bundle', data, '--platform', 'sunos-sparc', '--json']
    const { status, stderr } = await runDeputy(args)
    assert.equal(status, 3)
    assert.match(JSON.parse(stderr).error, /no native library for sunos-sparc/)
  })

  test('shows a bar on a terminal, and lines elsewhere', () => {
    const progress = { done_bytes: 75, total_bytes: 300, doing: 'Downloading a net' }
    const shown = [true, false].map((isTTY) => {
      const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
      packProgress(stream).show(progress)
      return String(stream.read())
    })
    assert.match(shown[0] ?? '', /██████░{18} {2}25 % {2}Downloading a net/)
    assert.equal(shown[1], 'Downloading a net\n')
  })
})
