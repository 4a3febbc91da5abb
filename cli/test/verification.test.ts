import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  test('status says that no pack is installed, and how to get one', async () => {
    const { status, stdout } = await runDeputy(['verification', 'status', '--data', data])
    assert.equal(status, 1)
    assert.match(stdout, /^state +absent\n/)
    assert.match(stdout, /deputy verification install/)
  })

  test('status of a complete pack exits with 0 and prints JSON', async () => {
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

  test('install without npm exits with 3 and names an alternative', async () => {
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

  test('bundle keeps an intact pack, and names the folder that another machine uses', async () => {
    const root = dirname(engine)
    const { status, stdout } = await runDeputy(['verification', 'bundle', root], { PATH: '' })
    assert.equal(status, 0)
    assert.match(
      stdout,
      /^Wrote the engine pack to (.+)\nCopy this folder, and set DEPUTY_ENGINE_DIR to it\.\n/,
    )
    assert.ok(stdout.includes(`${root}\n`), stdout)
    const used = await runDeputy(['verification', 'status', '--json'], { DEPUTY_ENGINE_DIR: root })
    assert.deepEqual([used.status, JSON.parse(used.stdout).folder], [0, engine])
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

describe('deputy bio-eval --nets', () => {
  const captures = join(data, 'captures')
  const declaration = join(data, 'nets.json')

  /** Declares a file as a gate for faces. */
  function declare(path: string): void {
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
    const normal = { mean: [0, 0, 0], std: [1, 1, 1], face_scale: 1 }
    const net = {
      ...{ name: 'mine', purpose: 'deepfake', role: 'gate', threshold: 0.5, path, sha256 },
      input: { name: 'data', size: 112, layout: 'nchw', channels: 'rgb', ...normal },
      output: { name: 'fc1', index: 0, activation: 'sigmoid', means: 'genuine' },
    }
    writeFileSync(declaration, JSON.stringify({ nets: [net] }))
  }

  function evaluate() {
    const args = ['bio-eval', captures, '--nets', declaration, '--processes', '1', '--json']
    return runDeputy(args, { DEPUTY_ENGINE_DIR: engine })
  }

  before(async () => {
    const { status, stderr } = await runDeputy(['bio-eval', captures, '--example'])
    assert.equal(status, 0, stderr)
  })

  test('runs the declared net on every capture', async () => {
    declare(join(engine, 'nets/sface.onnx'))
    const { status, stdout, stderr } = await evaluate()
    assert.equal(status, 0, stderr)
    const [result] = JSON.parse(stdout).results
    assert.ok(result.reasons.includes('A check of the operator found signs of an attack.'), stdout)
  })

  test('says why the engine does not start if a declared file is not a net', async () => {
    declare(declaration.replace('nets.json', 'captures/example/capture.json'))
    const { status, stderr } = await evaluate()
    assert.equal(status, 2)
    assert.match(JSON.parse(stderr).detail, /^The engine stopped: ./)
  })
})
