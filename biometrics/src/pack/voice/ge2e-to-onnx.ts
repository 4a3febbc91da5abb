import { NetBuilder } from './net-builder.ts'
import { readWeights } from './read-weights.ts'

/** GE2E: 160 frames of 40 mel bands in, 256 numbers of unit length out. It has three LSTM layers and a linear one. */
const MELS = 40
const HIDDEN = 256
const LAYERS = 3

export function ge2eToOnnx(name: string, checkpoint: Uint8Array): Uint8Array {
  const net = new NetBuilder(readWeights(checkpoint))
  // ONNX expects time first: parts by time by band becomes time by parts by band.
  let signal = net.add('Transpose', ['mel'], { perm: { ints: [1, 0, 2] } })
  let last = ''
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const [over_time, last_state] = lstm(net, signal, layer)
    signal = net.add('Squeeze', [over_time, axis(net, 1)])
    last = net.add('Squeeze', [last_state, axis(net, 0)])
  }
  const weights = [net.weight('linear.weight'), net.weight('linear.bias')]
  const positive = net.add('Relu', [net.add('Gemm', [last, ...weights], { transB: { int: 1 } })])
  const embedding = net.add('LpNormalization', [positive], { axis: { int: 1 }, p: { int: 2 } })
  return net.encode(
    name,
    { name: 'mel', shape: ['parts', 'frames', MELS] },
    { name: 'embedding', shape: ['parts', HIDDEN] },
    embedding,
  )
}

function lstm(net: NetBuilder, input: string, layer: number): [string, string] {
  const [input_weights, state_weights] = ['ih', 'hh'].map((part) => {
    const name = `lstm.weight_${part}_l${layer}`
    const [rows = 0, columns = 0] = net.shapeOf(name)
    return net.constant(name, [1, rows, columns], gatesInOrder(net.dataOf(name)))
  })
  const bias = Float32Array.of(
    ...gatesInOrder(net.dataOf(`lstm.bias_ih_l${layer}`)),
    ...gatesInOrder(net.dataOf(`lstm.bias_hh_l${layer}`)),
  )
  const bias_name = net.constant(`lstm.bias_l${layer}`, [1, bias.length], bias)
  return net.addSecond('LSTM', [input, input_weights ?? '', state_weights ?? '', bias_name], {
    hidden_size: { int: HIDDEN },
  })
}

/** Reorders the gates. PyTorch has input, forget, cell, output; ONNX has input, output, forget, cell. */
function gatesInOrder(data: Float32Array): Float32Array {
  const size = data.length / 4
  const ordered = new Float32Array(data.length)
  for (const [at, gate] of [0, 3, 1, 2].entries()) {
    ordered.set(data.subarray(gate * size, (gate + 1) * size), at * size)
  }
  return ordered
}

function axis(net: NetBuilder, at: number): string {
  return net.constant(`axis_${at}`, [1], BigInt64Array.of(BigInt(at)))
}
