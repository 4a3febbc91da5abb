import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { genuineScore } from '../../src/operator/genuine-score.ts'
import { readOperatorNets } from '../../src/operator/read-operator-nets.ts'

const folder = mkdtempSync(join(tmpdir(), 'deputy-nets-'))
after(() => rmSync(folder, { recursive: true }))

const MODEL = Buffer.from('a net')
writeFileSync(join(folder, 'pad.onnx'), MODEL)

const PAD = {
  name: 'pad',
  purpose: 'presentation_attack',
  role: 'gate',
  threshold: 0.5,
  path: 'pad.onnx',
  sha256: createHash('sha256').update(MODEL).digest('hex'),
  input: {
    name: 'input',
    size: 224,
    layout: 'nchw',
    channels: 'rgb',
    mean: [0.5, 0.5, 0.5],
    std: [0.5, 0.5, 0.5],
    face_scale: 1.5,
  },
  output: { name: 'scores', index: 1, activation: 'softmax', means: 'genuine' },
}

function declared(nets: unknown): string {
  const file = join(folder, 'nets.json')
  writeFileSync(file, JSON.stringify({ nets }))
  return file
}

describe('operator nets', () => {
  test('are read with their bytes, from a path relative to the declaration', () => {
    const [net] = readOperatorNets(declared([PAD]))
    assert.deepEqual(net?.model, MODEL)
    assert.equal(net?.name, 'pad')
  })

  test('for voices take sound of a fixed length', () => {
    const voice = { ...PAD, purpose: 'voice', input: { name: 'wave', samples: 64_000 } }
    const [net] = readOperatorNets(declared([voice]))
    assert.deepEqual(net?.input, { name: 'wave', samples: 64_000 })
  })

  test('are refused if the hash differs', () => {
    const wrong = { ...PAD, sha256: '0'.repeat(64) }
    assert.throws(
      () => readOperatorNets(declared([wrong])),
      /\/nets\/0\/sha256 is not the hash of .*pad\.onnx/,
    )
  })

  test('are refused with a list of all problems, each with its place', () => {
    const wrong = { ...PAD, role: 'judge', threshold: 2, input: { ...PAD.input, mean: [0.5] } }
    const problems = [
      '/nets/0/role must be one of observe, gate',
      '/nets/0/threshold must be a number from 0 to 1',
      '/nets/0/input/mean must be a list of three numbers, one for each channel',
      '/nets: the name "pad" is declared twice',
    ]
    assert.throws(
      () => readOperatorNets(declared([wrong, PAD])),
      (error) => error instanceof Error && problems.every((problem) => error.message.includes(problem)),
    )
  })

  test('are refused by name if the declaration is not JSON or a file is missing', () => {
    writeFileSync(join(folder, 'broken.json'), '{')
    assert.throws(
      () => readOperatorNets(join(folder, 'broken.json')),
      /broken\.json, which can't be read as JSON/,
    )
    assert.throws(
      () => readOperatorNets(declared([{ ...PAD, path: 'none.onnx' }])),
      /none\.onnx, which can't be read/,
    )
  })

  test('answer from 0 for an attack to 1 for a genuine face, whatever their outputs mean', () => {
    const attack = { index: 0, activation: 'softmax', means: 'attack' } as const
    assert.ok(genuineScore([5, -5], attack) < 0.001)
    assert.ok(genuineScore([-5, 5], attack) > 0.999)
    assert.equal(genuineScore([0], { index: 0, activation: 'sigmoid', means: 'genuine' }), 0.5)
    assert.equal(genuineScore([7], { index: 0, activation: 'none', means: 'genuine' }), 1)
  })

  test('count as detecting an attack if they return no number', () => {
    const output = { activation: 'none', means: 'attack' } as const
    assert.equal(genuineScore([], { ...output, index: 3 }), 0)
    assert.equal(genuineScore([Number.NaN], { ...output, index: 0 }), 0)
  })
})
