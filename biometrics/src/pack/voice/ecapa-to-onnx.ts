import { NetBuilder } from './net-builder.ts'
import { readWeights } from './read-weights.ts'

/** ECAPA-TDNN: 80 mel bands over time in, 192 numbers out. Built as in SpeechBrain, with the VoxCeleb weights. */
const MELS = 80
const EMBEDDING = 192
/** Each of the three blocks splits its channels into 8 parts. */
const SCALE = 8
const TINY = 1e-12

export function ecapaToOnnx(name: string, checkpoint: Uint8Array): Uint8Array {
  const net = new NetBuilder(readWeights(checkpoint))
  let signal = tdnn(net, 'mel', 'blocks.0', 5, 1)
  const blocks: string[] = []
  for (const block of [1, 2, 3]) {
    signal = seRes2Block(net, signal, `blocks.${block}`, block + 1)
    blocks.push(signal)
  }
  const together = tdnn(net, net.add('Concat', blocks, { axis: { int: 1 } }), 'mfa', 1, 1)
  const pooled = normed(net, attentivePooling(net, together), 'asp_bn.norm')
  const embedding = net.add('Squeeze', [conv(net, pooled, 'fc.conv', 1, 1), axes(net, 2)])
  return net.encode(
    name,
    { name: 'mel', shape: [1, MELS, 'time'] },
    { name: 'embedding', shape: [1, EMBEDDING] },
    embedding,
  )
}

/** Adds a convolution over time, then ReLU, then batch norm, in this order. */
function tdnn(net: NetBuilder, input: string, name: string, kernel: number, dilation: number): string {
  return normed(
    net,
    net.add('Relu', [conv(net, input, `${name}.conv.conv`, kernel, dilation)]),
    `${name}.norm.norm`,
  )
}

/** Adds a convolution. The sound is mirrored at its ends, so that the result is as long as the input. */
function conv(net: NetBuilder, input: string, name: string, kernel: number, dilation: number): string {
  const side = ((kernel - 1) * dilation) / 2
  const padded = side === 0 ? input : mirrored(net, input, side)
  const weights = [net.weight(`${name}.weight`), net.weight(`${name}.bias`)]
  return net.add('Conv', [padded, ...weights], {
    dilations: { ints: [dilation] },
    kernel_shape: { ints: [kernel] },
  })
}

function mirrored(net: NetBuilder, input: string, side: number): string {
  const pads = BigInt64Array.from([0, 0, side, 0, 0, side], BigInt)
  return net.add('Pad', [input, net.constant(`pads_${side}`, [6], pads)], { mode: { text: 'reflect' } })
}

function normed(net: NetBuilder, input: string, name: string): string {
  const parts = ['weight', 'bias', 'running_mean', 'running_var']
  const weights = parts.map((part) => net.weight(`${name}.${part}`))
  return net.add('BatchNormalization', [input, ...weights], { epsilon: { float: 1e-5 } })
}

function seRes2Block(net: NetBuilder, input: string, name: string, dilation: number): string {
  const first = tdnn(net, input, `${name}.tdnn1`, 1, 1)
  const middle = res2(net, first, `${name}.res2net_block`, dilation)
  const last = tdnn(net, middle, `${name}.tdnn2`, 1, 1)
  return net.add('Add', [squeezeExcite(net, last, `${name}.se_block`), input])
}

/** Filters every part except the first together with the result of the previous part. */
function res2(net: NetBuilder, input: string, name: string, dilation: number): string {
  const [untouched = '', ...parts] = net.split(input, SCALE, 1)
  const results = [untouched]
  for (const [at, part] of parts.entries()) {
    const carried = at === 0 ? part : net.add('Add', [part, results.at(-1) ?? ''])
    results.push(tdnn(net, carried, `${name}.blocks.${at}`, 3, dilation))
  }
  return net.add('Concat', results, { axis: { int: 1 } })
}

function squeezeExcite(net: NetBuilder, input: string, name: string): string {
  const mean = overTime(net, 'ReduceMean', input)
  const hidden = net.add('Relu', [conv(net, mean, `${name}.conv1.conv`, 1, 1)])
  const gate = net.add('Sigmoid', [conv(net, hidden, `${name}.conv2.conv`, 1, 1)])
  return net.add('Mul', [input, gate])
}

/** Adds mean and deviation over time, weighted by attention that sees the plain mean and deviation. */
function attentivePooling(net: NetBuilder, input: string): string {
  const mean = overTime(net, 'ReduceMean', input)
  const deviation = net.add('Sqrt', [
    atLeastTiny(net, overTime(net, 'ReduceMean', squaredDistance(net, input, mean))),
  ])
  const shape = net.add('Shape', [input])
  const context = [input, net.add('Expand', [mean, shape]), net.add('Expand', [deviation, shape])]
  const seen = tdnn(net, net.add('Concat', context, { axis: { int: 1 } }), 'asp.tdnn', 1, 1)
  const scores = conv(net, net.add('Tanh', [seen]), 'asp.conv.conv', 1, 1)
  const attention = net.add('Softmax', [scores], { axis: { int: 2 } })
  return weightedStatistics(net, input, attention)
}

function weightedStatistics(net: NetBuilder, input: string, attention: string): string {
  const mean = summed(net, net.add('Mul', [attention, input]))
  const variance = summed(net, net.add('Mul', [attention, squaredDistance(net, input, mean)]))
  const deviation = net.add('Sqrt', [atLeastTiny(net, variance)])
  return net.add('Concat', [mean, deviation], { axis: { int: 1 } })
}

function squaredDistance(net: NetBuilder, input: string, mean: string): string {
  const distance = net.add('Sub', [input, mean])
  return net.add('Mul', [distance, distance])
}

function atLeastTiny(net: NetBuilder, input: string): string {
  return net.add('Max', [input, net.scalar(TINY)])
}

function overTime(net: NetBuilder, operator: string, input: string): string {
  return net.add(operator, [input], { axes: { ints: [2] }, keepdims: { int: 1 } })
}

/** Adds a sum. Unlike a mean, it takes its axes as an input since operator set 13. */
function summed(net: NetBuilder, input: string): string {
  return net.add('ReduceSum', [input, axes(net, 2)], { keepdims: { int: 1 } })
}

function axes(net: NetBuilder, axis: number): string {
  return net.constant(`axis_${axis}`, [1], BigInt64Array.of(BigInt(axis)))
}
