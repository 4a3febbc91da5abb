import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PickledTensor, readPickle } from '../../src/pack/voice/read-pickle.ts'
import { readWeights } from '../../src/pack/voice/read-weights.ts'

/** One weight called `a`, two by three, in the storage "0". */
const WEIGHT = pickle(
  [0x80, 2],
  'ccollections\nOrderedDict\n)R',
  text('a'),
  'ctorch._utils\n_rebuild_tensor_v2\n((',
  text('storage'),
  'ctorch\nFloatStorage\n',
  text('0'),
  text('cpu'),
  [0x4b, 6],
  'tQ',
  [0x4b, 0, 0x4b, 2, 0x4b, 3, 0x86, 0x4b, 3, 0x4b, 1, 0x86],
  [0x89],
  'ccollections\nOrderedDict\n)RtRs.',
)

describe('pickles of weights', () => {
  test('a weight is read', () => {
    const { value, end } = readPickle(WEIGHT)
    assert.ok(value instanceof Map)
    const tensor = value.get('a')
    assert.ok(tensor instanceof PickledTensor)
    assert.deepEqual([tensor.key, tensor.offset, tensor.shape, tensor.stride], ['0', 0, [2, 3], [3, 1]])
    assert.equal(end, WEIGHT.length)
  })

  for (const [what, program] of [
    ['a call of the system', pickle([0x80, 2], 'cos\nsystem\n', text('true'), [0x85], 'R.')],
    ['a call of eval', pickle([0x80, 2], 'cbuiltins\neval\n', text('1'), [0x85], 'R.')],
    ['another class of torch', pickle([0x80, 2], 'ctorch\nload\n)R.')],
    ['a name with the prefix of a known one', pickle([0x80, 2], 'ctorch\nFloatStorageX\n.')],
    ['a name from the stack', pickle([0x80, 4], text('os'), text('system'), [0x93], '.')],
    ['an object by its class', pickle([0x80, 2], '(ios\nsystem\n.')],
    ['an object of a new style', pickle([0x80, 2], 'ccollections\nOrderedDict\n)', [0x81], '.')],
    ['an entry of the registry of extensions', pickle([0x80, 2], [0x82, 1], '.')],
    ['a storage of another type', pickle([0x80, 2], '(', text('storage'), text('os'), text('0'), 'tQ.')],
    ['a call of a type', pickle([0x80, 2], 'ctorch\nFloatStorage\n)R.')],
    [
      'a dictionary made from items',
      pickle([0x80, 2], 'ccollections\nOrderedDict\n', text('a'), [0x85], 'R.'),
    ],
    ['a newer protocol', pickle([0x80, 5], 'N.')],
    ['a text longer than the file', pickle([0x80, 2], 'X', [0xff, 0xff, 0xff, 0x7f])],
    ['a pop from an empty stack', pickle([0x80, 2], '.')],
    ['a tuple without a mark', pickle([0x80, 2], 'Nt.')],
    ['a value that was never kept', pickle([0x80, 2], 'h', [7], '.')],
    ['an item of a number', pickle([0x80, 2], [0x4b, 1], 'NNs.')],
    ['a program without an end', pickle([0x80, 2], 'N'.repeat(200_000))],
    ['nothing', new Uint8Array(0)],
  ] as const)
    test(`${what} is refused`, () => {
      assert.throws(() => readPickle(program), /The weights are refused/)
    })

  test('a tensor cannot reach outside its storage', () => {
    assert.throws(() =>
      readWeights(zip({ 'archive/data.pkl': WEIGHT, 'archive/data/0': new Uint8Array(20) })),
    )
    const weights = readWeights(
      zip({
        'archive/data.pkl': WEIGHT,
        'archive/data/0': new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer),
      }),
    )
    assert.deepEqual([...(weights.get('a')?.data ?? [])], [1, 2, 3, 4, 5, 6])
  })

  test('every mutated pickle is read as data or refused, and none runs long', () => {
    let state = 7
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    let refused = 0
    for (let round = 0; round < 20_000; round += 1) {
      const mutated = WEIGHT.slice(0, random(8) === 0 ? random(WEIGHT.length) : WEIGHT.length)
      for (let edits = 1 + random(4); edits > 0; edits -= 1) mutated[random(mutated.length)] = random(256)
      try {
        readPickle(mutated)
      } catch (error) {
        assert.ok(
          error instanceof Error && error.message.startsWith('The weights are refused'),
          String(error),
        )
        refused += 1
      }
    }
    assert.ok(refused > 10_000, `${refused} refused`)
  })
})

function text(value: string): number[] {
  const bytes = Buffer.from(value)
  return [0x58, bytes.length, 0, 0, 0, ...bytes]
}

function pickle(...parts: readonly (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  )
}

/** Returns an archive of stored members, without the parts that the reader ignores. */
function zip(members: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, bytes] of Object.entries(members)) {
    const local = Buffer.alloc(30)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(bytes.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    files.push(local, Buffer.from(name), Buffer.from(bytes))
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + bytes.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  const archive = Buffer.concat([...files, ...directory, end])
  archive.write('PK\x03\x04', 'latin1')
  return archive
}
