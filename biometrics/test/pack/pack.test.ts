import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { readVector } from '@deputize/testing/read-vector.ts'
import { openPack } from '../../src/pack/open-pack.ts'
import { PackError } from '../../src/pack/pack-error.ts'
import { packSource } from '../../src/pack/pack-source.ts'
import { floats, floatsOf } from '../../src/tensor-net.ts'

interface ConvertedNets {
  readonly nets: readonly {
    readonly net: string
    readonly size: number
    readonly outputs: Readonly<Record<string, { readonly every: number; readonly values: readonly number[] }>>
  }[]
}

/** The answer of the net in the archive. */
interface PublishedNet {
  readonly size: number
  readonly output: string
  readonly values: readonly number[]
}

/** Outputs are up to 1.1; the runtime folds constants in a different order. */
const EMBEDDING_TOLERANCE = 0.00001
/** Outputs are up to 287; float32 sums in a different order differ by up to 0.00016. */
const TOLERANCE = 0.001

let installed = ''
let scratch = ''
before(
  async () => {
    installed = await anEngine()
    scratch = mkdtempSync(join(tmpdir(), 'deputy-pack-'))
  },
  { timeout: 300_000 },
)
after(() => rmSync(scratch, { recursive: true, force: true }))

/** Returns a pack of links to the installed one, with one file missing or changed in one byte. */
function packWith(path: string, change: 'changed' | 'missing'): string {
  const folder = mkdtempSync(join(scratch, 'pack-'))
  for (const file of filesBelow(installed)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    if (file !== path) symlinkSync(join(installed, file), join(folder, file))
  }
  if (change === 'missing') return folder
  const bytes = readFileSync(join(installed, path))
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(join(folder, path), bytes)
  return folder
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** Returns the input that the reference vectors were computed from. */
function fixedNoise(length: number): Float32Array {
  let state = 1
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  })
}

describe('the engine pack', () => {
  const { nets } = readVector<ConvertedNets>('biometrics/converted-nets.json')
  for (const { net, size, outputs } of nets)
    test(`has ${net}, which answers like TensorFlow.js`, async () => {
      const opened = await openPack(installed).openNet(net)
      const input = floats(fixedNoise(size * size * 3), [1, size, size, 3])
      const name = ['iris', 'facemesh', 'handlandmark-full'].includes(net) ? 'input_1' : 'input'
      const results = await opened.run({ [name]: input })
      for (const [output, { every, values }] of Object.entries(outputs)) {
        const found = floatsOf(results, output)
        values.forEach((value, index) => {
          const difference = Math.abs((found[index * every] ?? Number.NaN) - value)
          assert.ok(difference < TOLERANCE, `${output}[${index * every}] differs by ${difference}`)
        })
      }
    })

  test('has sface, which answers like the published net', async () => {
    const { size, output, values } = readVector<PublishedNet>('biometrics/sface.json')
    const opened = await openPack(installed).openNet('sface')
    const colors = fixedNoise(3 * size * size).map((value) => 255 * value)
    const found = floatsOf(await opened.run({ data: floats(colors, [1, 3, size, size]) }), output)
    assert.equal(found.length, values.length)
    values.forEach((value, index) => {
      assert.ok(Math.abs((found[index] ?? Number.NaN) - value) < EMBEDDING_TOLERANCE, `${output}[${index}]`)
    })
  })

  const native = `runtime/node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`
  test('is refused if one byte of a net, a library, a script or the decoder is changed', () => {
    const script = 'runtime/node_modules/onnxruntime-common/dist/cjs/tensor-impl.js'
    for (const path of ['nets/sface.onnx', native, script, 'decoder/libjpeg-turbo.wasm']) {
      assert.throws(
        () => openPack(packWith(path, 'changed')),
        (error) =>
          error instanceof PackError &&
          error.message.startsWith(`${path} in the engine pack`) &&
          error.message.includes('deputy verification install'),
      )
    }
  })

  test('is refused if a file is missing', () => {
    assert.throws(() => openPack(packWith('nets/iris.onnx', 'missing')), /can't be read \(ENOENT\)/)
  })

  test('works as a copy in another folder, without a package client', async () => {
    const copy = join(scratch, 'copied')
    cpSync(installed, copy, { recursive: true })
    const source = packSource({ mode: 'auto', root: join(scratch, 'none'), copied: copy })
    assert.equal(source.state().state, 'ready')
    await source.install()
    const { openNet } = openPack(source.directory() ?? '')
    await openNet('sface')
  })

  test('is found in the folder that a bundle was written to', () => {
    const source = packSource({ mode: 'auto', root: join(scratch, 'none'), copied: dirname(installed) })
    assert.equal(source.directory(), installed)
  })

  test('is reported as missing, with instructions, if it was not copied', async () => {
    const copied = join(scratch, 'nothing-here')
    const source = packSource({ mode: 'auto', root: join(scratch, 'none'), copied })
    const state = source.state()
    assert.match(state.state === 'failed' ? state.reason : '', /nothing-here.*deputy verification bundle/)
    await assert.rejects(source.install(), PackError)
  })

  test('is never fetched while the engine is off', async () => {
    const root = join(scratch, 'off')
    const source = packSource({ mode: 'off', root })
    assert.deepEqual(source.state(), { state: 'off' })
    await assert.rejects(source.install(), /Remove DEPUTY_ENGINE=off/)
    assert.equal(source.directory(), undefined)
    assert.throws(() => readdirSync(root), /ENOENT/)
  })
})
