import { readStoredZip } from '../read-zip.ts'
import { type Pickled, PickledTensor, readPickle } from './read-pickle.ts'

/** A tensor of weights, in rows. */
export interface Weight {
  readonly shape: readonly number[]
  readonly data: Float32Array
}

export type Weights = ReadonlyMap<string, Weight>

/** The first pickle in a file from PyTorch before 1.6 is this number, the second is the version 1001. */
const LEGACY_MAGIC = 0x1950a86a20f9469cfc6cn
const LEGACY_VERSION = 1001

/** Returns the weights in a PyTorch checkpoint of either form. Integers, which only count batches, are left out. */
export function readWeights(checkpoint: Uint8Array): Weights {
  const is_zip = checkpoint[0] === 0x50 && checkpoint[1] === 0x4b
  return is_zip ? readZipped(checkpoint) : readLegacy(checkpoint)
}

function readZipped(checkpoint: Uint8Array): Weights {
  const members = readStoredZip(checkpoint)
  const pickle = members.get('archive/data.pkl')
  if (pickle === undefined) throw new Error('The weights are refused: the archive has no data.pkl.')
  return weightsOf(readPickle(pickle).value, (key) => members.get(`archive/data/${key}`))
}

/** Reads five pickles (magic, version, machine, values, keys), then each storage: its length and its numbers. */
function readLegacy(checkpoint: Uint8Array): Weights {
  const pickles: Pickled[] = []
  let at = 0
  for (let count = 0; count < 5; count += 1) {
    const { value, end } = readPickle(checkpoint.subarray(at))
    pickles.push(value)
    at += end
  }
  const [magic, version, , values, keys] = pickles
  if (magic !== LEGACY_MAGIC || version !== LEGACY_VERSION || !Array.isArray(keys)) {
    throw new Error('The weights are refused: this is not a checkpoint of PyTorch.')
  }
  const storages = readStorages(checkpoint.subarray(at), keys)
  const state = values instanceof Map ? values.get('model_state') : undefined
  return weightsOf(state ?? null, (key) => storages.get(key))
}

function readStorages(bytes: Uint8Array, keys: readonly Pickled[]): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const storages = new Map<string, Uint8Array>()
  let at = 0
  for (const key of keys) {
    const size = Number(view.getBigInt64(at, true)) * 4
    const end = at + 8 + size
    if (typeof key !== 'string' || size < 0 || end > bytes.length) {
      throw new Error('The weights are refused: a storage is longer than the file.')
    }
    storages.set(key, bytes.subarray(at + 8, end))
    at = end
  }
  return storages
}

function weightsOf(values: Pickled, storageOf: (key: string) => Uint8Array | undefined): Weights {
  const weights = new Map<string, Weight>()
  if (!(values instanceof Map)) throw new Error('The weights are refused: they are not a dictionary.')
  for (const [name, tensor] of values) {
    if (typeof name !== 'string' || !(tensor instanceof PickledTensor)) continue
    if (tensor.type === 'torch FloatStorage') weights.set(name, weightOf(name, tensor, storageOf(tensor.key)))
  }
  return weights
}

function weightOf(name: string, tensor: PickledTensor, storage: Uint8Array | undefined): Weight {
  const count = tensor.shape.reduce((product, size) => product * size, 1)
  const start = tensor.offset * 4
  const bytes = new Uint8Array(storage?.subarray(start, start + count * 4) ?? [])
  if (bytes.length !== count * 4 || !isInRows(tensor)) {
    throw new Error(`The weights are refused: ${name} is not in its storage.`)
  }
  // The copy begins at the start of its buffer, so it is aligned. Checkpoints and all supported machines are little-endian.
  return { shape: tensor.shape, data: new Float32Array(bytes.buffer, 0, count) }
}

/** Whether the numbers are contiguous. Transposed views don't occur in these nets. */
function isInRows({ shape, stride }: PickledTensor): boolean {
  let expected = 1
  for (let at = shape.length - 1; at >= 0; at -= 1) {
    if (stride[at] !== expected && shape[at] !== 1) return false
    expected *= shape[at] ?? 1
  }
  return true
}
