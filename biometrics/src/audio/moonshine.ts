import { floats, floatsOf, type TensorData, type TensorNet, type Tensors } from '../tensor-net.ts'

/** Moonshine tiny, English: an encoder over raw samples and a decoder with 6 layers, 8 heads of 36, over 32,768 tokens. */
export interface Moonshine {
  readonly encoder: TensorNet
  readonly decoder: TensorNet
}

const LAYERS = 6
const HEADS = 8
const HEAD_SIZE = 36
const STATE_SIZE = 288
export const VOCABULARY = 32_768
export const START_TOKEN = 1
export const END_TOKEN = 2

/** The encoded sound, as the decoder reads it. */
export interface Heard {
  readonly states: TensorData
  readonly length: number
}

/** Texts that are decoded in parallel, one per row. */
export interface DecoderRows {
  /** Log-probability of every next token, row after row. */
  readonly next: readonly Float32Array[]
  readonly cache: Tensors
}

export async function listen(moonshine: Moonshine, samples: Float32Array): Promise<Heard> {
  const outputs = await moonshine.encoder.run({ input_values: floats(samples, [1, samples.length]) })
  const states = floatsOf(outputs, 'last_hidden_state')
  const length = states.length / STATE_SIZE
  return { states: floats(states, [1, length, STATE_SIZE]), length }
}

/** Decodes the first step: one row that holds only the start token. */
export async function startDecoding(moonshine: Moonshine, heard: Heard): Promise<DecoderRows> {
  const empty = floats(new Float32Array(0), [1, HEADS, 0, HEAD_SIZE])
  const cache: Record<string, TensorData> = {}
  for (const name of CACHE_NAMES) cache[name] = empty
  return decode(moonshine, heard, cache, [START_TOKEN], false)
}

/** Continues `rows[parents[i]]` with `tokens[i]`, for every i. */
export function continueDecoding(
  moonshine: Moonshine,
  heard: Heard,
  rows: DecoderRows,
  parents: readonly number[],
  tokens: readonly number[],
): Promise<DecoderRows> {
  const cache: Record<string, TensorData> = {}
  for (const name of CACHE_NAMES) {
    const tensor = rows.cache[name]
    if (tensor?.type !== 'float32') throw new Error(`The decoder kept no "${name}".`)
    cache[name] = pickRows(tensor.data, tensor.dims, parents)
  }
  return decode(moonshine, heard, cache, tokens, true)
}

async function decode(
  moonshine: Moonshine,
  heard: Heard,
  cache: Record<string, TensorData>,
  tokens: readonly number[],
  has_past: boolean,
): Promise<DecoderRows> {
  const rows = tokens.length
  const outputs = await moonshine.decoder.run({
    ...cache,
    input_ids: { type: 'int64', data: BigInt64Array.from(tokens, BigInt), dims: [rows, 1] },
    encoder_hidden_states: repeatRows(heard.states, rows),
    use_cache_branch: { type: 'bool', data: Uint8Array.of(has_past ? 1 : 0), dims: [1] },
  })
  const logits = floatsOf(outputs, 'logits')
  return {
    next: tokens.map((_, row) => logSoftmax(logits.subarray(row * VOCABULARY, (row + 1) * VOCABULARY))),
    cache: nextCache(cache, outputs, has_past),
  }
}

/** Keeps the encoder keys and values of the first step: with a past, the decoder returns empty ones. */
function nextCache(cache: Tensors, outputs: Tensors, has_past: boolean): Tensors {
  const kept: Record<string, TensorData> = {}
  for (const name of CACHE_NAMES) {
    const present = outputs[name.replace('past_key_values', 'present')]
    const tensor = has_past && name.includes('encoder') ? cache[name] : present
    if (tensor === undefined) throw new Error(`The decoder returned no "${name}".`)
    kept[name] = tensor
  }
  return kept
}

const CACHE_NAMES = Array.from({ length: LAYERS }, (_, layer) =>
  ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map(
    (part) => `past_key_values.${layer}.${part}`,
  ),
).flat()

function pickRows(data: Float32Array, dims: readonly number[], rows: readonly number[]): TensorData {
  const [count = 1, ...rest] = dims
  const size = data.length / count
  const picked = new Float32Array(size * rows.length)
  for (const [at, row] of rows.entries()) {
    picked.set(data.subarray(row * size, (row + 1) * size), at * size)
  }
  return floats(picked, [rows.length, ...rest])
}

function repeatRows(tensor: TensorData, rows: number): TensorData {
  if (rows === 1 || tensor.type !== 'float32') return tensor
  return pickRows(tensor.data, tensor.dims, new Array<number>(rows).fill(0))
}

/** Uses plain loops, because it runs over 32,768 tokens for every row of every step. */
function logSoftmax(logits: Float32Array): Float32Array {
  let highest = Number.NEGATIVE_INFINITY
  for (let token = 0; token < logits.length; token += 1) highest = Math.max(highest, logits[token] ?? 0)
  let sum = 0
  for (let token = 0; token < logits.length; token += 1) sum += Math.exp((logits[token] ?? 0) - highest)
  const log_sum = highest + Math.log(sum)
  const logs = new Float32Array(logits.length)
  for (let token = 0; token < logits.length; token += 1) logs[token] = (logits[token] ?? 0) - log_sum
  return logs
}
