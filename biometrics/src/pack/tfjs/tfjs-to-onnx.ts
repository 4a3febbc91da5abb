import { encodeModel, type OnnxAttribute, type OnnxConstant, type OnnxNode } from '../onnx/onnx-model.ts'
import { readGraph, type TfAttribute, type TfGraph, type TfNode, type TfWeight } from './read-graph.ts'

/**
 * Converts a TensorFlow.js graph model to an ONNX model with the same inputs and outputs. TensorFlow keeps channels
 * last (NHWC), ONNX keeps them first (NCHW). Inside, four-dimensional values are NCHW, and they are converted back
 * where the order matters: at a Reshape and at the outputs. The same files always give the same bytes.
 */
export function tfjsToOnnx(name: string, json: Uint8Array, bin: Uint8Array): Uint8Array {
  const graph = readGraph(json, bin)
  const conversion = new Conversion(graph)
  for (const node of graph.nodes) conversion.add(node)
  return encodeModel({
    name,
    inputs: conversion.inputs,
    outputs: graph.outputs.map((output) => ({ name: conversion.output(output), shape: undefined })),
    nodes: conversion.nodes,
    constants: conversion.constants,
  })
}

/** A value in the ONNX graph. `first` is true if its channels come first. */
interface Value {
  readonly name: string
  readonly first: boolean
}

type Rule = (conversion: Conversion, node: TfNode) => Value

const TO_FIRST = { perm: { ints: [0, 3, 1, 2] } }
const TO_LAST = { perm: { ints: [0, 2, 3, 1] } }
/** The position in NCHW of each axis of NHWC. */
const AXIS_IN_FIRST = [0, 2, 3, 1] as const

const RULES: Readonly<Record<string, Rule>> = {
  _FusedConv2D: (conversion, node) => activated(conversion, node, convolution(conversion, node)),
  _FusedMatMul: (conversion, node) => activated(conversion, node, product(conversion, node)),
  Add: elementwise('Add'),
  AddN: elementwise('Sum'),
  AddV2: elementwise('Add'),
  ConcatV2: concatenation,
  Conv2D: convolution,
  Conv2DBackpropInput: transposedConvolution,
  DepthwiseConv2dNative: depthwiseConvolution,
  Identity: (conversion, node) => conversion.value(input(node, 0)),
  MaxPool: pooling,
  Mean: mean,
  Mul: elementwise('Mul'),
  Pad: padding,
  Placeholder: placeholder,
  Prelu: elementwise('PRelu'),
  Relu: elementwise('Relu'),
  Relu6: (conversion, node) => relu6(conversion, node.name, conversion.value(input(node, 0))),
  Reshape: reshaping,
  Sigmoid: elementwise('Sigmoid'),
}

class Conversion {
  readonly nodes: OnnxNode[] = []
  readonly constants: OnnxConstant[] = []
  readonly inputs: { readonly name: string; readonly shape: readonly number[] }[] = []
  readonly #values = new Map<string, Value>()
  readonly #graph: TfGraph

  constructor(graph: TfGraph) {
    this.#graph = graph
  }

  add(node: TfNode): void {
    if (node.op === 'Const') return
    const rule = RULES[node.op]
    if (rule === undefined) throw new Error(`Operator ${node.op} is not supported (node ${node.name})`)
    this.#values.set(node.name, rule(this, node))
  }

  weight(name: string): TfWeight {
    const weight = this.#graph.weights.get(name)
    if (weight === undefined) throw new Error(`${name} is not a weight`)
    return weight
  }

  isWeight(name: string): boolean {
    return this.#graph.weights.has(name)
  }

  value(name: string): Value {
    const value = this.#values.get(name)
    if (value === undefined) throw new Error(`${name} is used before it is computed`)
    return value
  }

  emit(
    operator: string,
    inputs: readonly string[],
    output: string,
    attributes: OnnxNode['attributes'] = {},
  ): string {
    this.nodes.push({ operator, inputs, outputs: [output], attributes })
    return output
  }

  constant(name: string, shape: readonly number[], data: OnnxConstant['data']): string {
    if (!this.constants.some((known) => known.name === name)) this.constants.push({ name, shape, data })
    return name
  }

  /** Returns the value with its channels first. */
  first(name: string): string {
    const value = this.value(name)
    if (value.first) return value.name
    return this.emit('Transpose', [value.name], `${value.name}/first${this.nodes.length}`, TO_FIRST)
  }

  /** Returns the value in TensorFlow's order. */
  last(name: string): string {
    const value = this.value(name)
    if (!value.first) return value.name
    return this.emit('Transpose', [value.name], `${value.name}/last${this.nodes.length}`, TO_LAST)
  }

  /** Gives a result its name in the signature. */
  output(name: string): string {
    return this.emit('Identity', [this.last(name)], `${name}:0`)
  }
}

/** Adds a picture as an input. An open batch size becomes 1. */
function placeholder(conversion: Conversion, node: TfNode): Value {
  const shape = node.attributes.shape?.shape?.dim.map(({ size }) => Math.abs(Number(size)))
  if (shape?.length !== 4) throw new Error(`The input ${node.name} is not a picture`)
  conversion.inputs.push({ name: node.name, shape })
  return { name: node.name, first: false }
}

function convolution(conversion: Conversion, node: TfNode): Value {
  const kernel = conversion.weight(input(node, 1))
  const weights = conversion.constant(input(node, 1), ...permuted(kernel, [3, 2, 0, 1]))
  const inputs = [conversion.first(input(node, 0)), weights]
  if (fusedOps(node)[0] === 'BiasAdd') inputs.push(vector(conversion, input(node, 2)))
  const attributes = kernelWindow(node, kernel.shape.slice(0, 2))
  return { name: conversion.emit('Conv', inputs, node.name, attributes), first: true }
}

function depthwiseConvolution(conversion: Conversion, node: TfNode): Value {
  const kernel = conversion.weight(input(node, 1))
  const [height = 0, width = 0, channels = 0, multiplier = 0] = kernel.shape
  const [, data] = permuted(kernel, [2, 3, 0, 1])
  const weights = conversion.constant(input(node, 1), [channels * multiplier, 1, height, width], data)
  const attributes = { ...kernelWindow(node, [height, width]), group: { int: channels } }
  const name = conversion.emit('Conv', [conversion.first(input(node, 0)), weights], node.name, attributes)
  return { name, first: true }
}

/** Enlarges by the stride, usually 2. With SAME padding, the output is the input times the stride. */
function transposedConvolution(conversion: Conversion, node: TfNode): Value {
  if (text(node.attributes.padding) !== 'SAME') throw new Error(`${node.name} has an unsupported padding`)
  const kernel = conversion.weight(input(node, 1))
  const weights = conversion.constant(input(node, 1), ...permuted(kernel, [3, 2, 0, 1]))
  const strides = spatial(node.attributes.strides)
  const kernelShape = kernel.shape.slice(0, 2)
  const surplus = kernelShape.map((size, axis) => Math.max(size - (strides[axis] ?? 1), 0))
  const before = surplus.map((size) => Math.floor(size / 2))
  const after = surplus.map((size) => Math.ceil(size / 2))
  const attributes = {
    strides: { ints: strides },
    kernel_shape: { ints: kernelShape },
    pads: { ints: [...before, ...after] },
  }
  const source = conversion.first(input(node, 2))
  return { name: conversion.emit('ConvTranspose', [source, weights], node.name, attributes), first: true }
}

function pooling(conversion: Conversion, node: TfNode): Value {
  const attributes = { ...window(node), kernel_shape: { ints: spatial(node.attributes.ksize) } }
  const name = conversion.emit('MaxPool', [conversion.first(input(node, 0))], node.name, attributes)
  return { name, first: true }
}

function padding(conversion: Conversion, node: TfNode): Value {
  const { data } = conversion.weight(input(node, 1))
  const pairs = [0, 3, 1, 2].map((axis) => [Number(data[axis * 2]), Number(data[axis * 2 + 1])] as const)
  const pads = [...pairs.map(([before]) => before), ...pairs.map(([, after]) => after)]
  const inputs = [conversion.first(input(node, 0)), integers(conversion, `${node.name}/pads`, pads)]
  return { name: conversion.emit('Pad', inputs, node.name), first: true }
}

function mean(conversion: Conversion, node: TfNode): Value {
  const axes = [...conversion.weight(input(node, 1)).data].map((axis) => axisInFirst(Number(axis)))
  const keep = node.attributes.keep_dims?.b === true
  if (!keep && axes.toSorted().join() !== '2,3') throw new Error(`${node.name} averages unsupported axes`)
  const attributes = { axes: { ints: axes }, keepdims: { int: keep ? 1 : 0 } }
  const name = conversion.emit('ReduceMean', [conversion.first(input(node, 0))], node.name, attributes)
  return { name, first: keep }
}

function product(conversion: Conversion, node: TfNode): Value {
  if (node.attributes.transpose_a?.b || node.attributes.transpose_b?.b) {
    throw new Error(`${node.name} transposes its inputs`)
  }
  const { shape, data } = conversion.weight(input(node, 1))
  const weights = conversion.constant(input(node, 1), shape, floats(data))
  const inputs = [conversion.last(input(node, 0)), weights]
  if (fusedOps(node)[0] === 'BiasAdd') inputs.push(vector(conversion, input(node, 2)))
  return { name: conversion.emit('Gemm', inputs, node.name), first: false }
}

function reshaping(conversion: Conversion, node: TfNode): Value {
  const shape = [...conversion.weight(input(node, 1)).data].map(Number)
  const inputs = [conversion.last(input(node, 0)), integers(conversion, `${node.name}/shape`, shape)]
  return { name: conversion.emit('Reshape', inputs, node.name), first: false }
}

function concatenation(conversion: Conversion, node: TfNode): Value {
  const parts = node.inputs.slice(0, -1)
  const axis = Number(conversion.weight(input(node, node.inputs.length - 1)).data[0])
  const first = parts.every((part) => conversion.value(part).first)
  const names = parts.map((part) => (first ? conversion.value(part).name : conversion.last(part)))
  const attributes = { axis: { int: first ? axisInFirst(axis) : axis } }
  return { name: conversion.emit('Concat', names, node.name, attributes), first }
}

/** Returns the rule of an elementwise operator. If one operand has its channels first, all are converted. */
function elementwise(operator: string): Rule {
  return (conversion, node) => {
    const first = node.inputs.some((name) => !conversion.isWeight(name) && conversion.value(name).first)
    const names = node.inputs.map((name) => {
      if (conversion.isWeight(name)) return operand(conversion, name, first)
      return first ? conversion.first(name) : conversion.value(name).name
    })
    return { name: conversion.emit(operator, names, node.name), first }
  }
}

/** Adds the activation that TensorFlow has merged into the preceding operator. */
function activated(conversion: Conversion, node: TfNode, value: Value): Value {
  const [, activation] = fusedOps(node)
  const name = `${node.name}/activated`
  if (activation === undefined) return value
  if (activation === 'Relu') return { ...value, name: conversion.emit('Relu', [value.name], name) }
  if (activation === 'Relu6') return relu6(conversion, name, value)
  if (activation !== 'Prelu') throw new Error(`Activation ${activation} is not supported (node ${node.name})`)
  const slope = operand(conversion, input(node, 3), value.first)
  return { ...value, name: conversion.emit('PRelu', [value.name, slope], name) }
}

function relu6(conversion: Conversion, name: string, value: Value): Value {
  const low = conversion.constant('zero', [], Float32Array.of(0))
  const high = conversion.constant('six', [], Float32Array.of(6))
  return { ...value, name: conversion.emit('Clip', [value.name, low, high], name) }
}

/** Returns a constant operand. With channels first, a vector of channels becomes [C, 1, 1]. */
function operand(conversion: Conversion, name: string, first: boolean): string {
  const { shape, data } = conversion.weight(name)
  if (!first || shape.length === 0) return conversion.constant(name, shape, floats(data))
  const channels = shape.at(-1) ?? 1
  if (data.length !== channels) throw new Error(`${name} is not one number for each channel`)
  return conversion.constant(name, [channels, 1, 1], floats(data))
}

function vector(conversion: Conversion, name: string): string {
  const { data } = conversion.weight(name)
  return conversion.constant(name, [data.length], floats(data))
}

function integers(conversion: Conversion, name: string, values: readonly number[]): string {
  return conversion.constant(name, [values.length], BigInt64Array.from(values, BigInt))
}

function floats(data: TfWeight['data']): Float32Array {
  return data instanceof Float32Array ? data : Float32Array.from(data)
}

/** Returns the four-dimensional weight with its axes in a different order. */
function permuted(weight: TfWeight, order: readonly number[]): [number[], Float32Array] {
  const shape = order.map((axis) => weight.shape[axis] ?? 1)
  const strides = weight.shape.map((_, axis) => weight.shape.slice(axis + 1).reduce((a, b) => a * b, 1))
  const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = order.map((axis) => strides[axis] ?? 0)
  const [n0 = 0, n1 = 0, n2 = 0, n3 = 0] = shape
  const data = new Float32Array(weight.data.length)
  let at = 0
  for (let a = 0; a < n0; a += 1)
    for (let b = 0; b < n1; b += 1)
      for (let c = 0; c < n2; c += 1)
        for (let d = 0; d < n3; d += 1) data[at++] = weight.data[a * s0 + b * s1 + c * s2 + d * s3] ?? 0
  return [shape, data]
}

/** Returns how a kernel moves over the picture. */
function kernelWindow(node: TfNode, kernelShape: readonly number[]): Record<string, OnnxAttribute> {
  return {
    ...window(node),
    dilations: { ints: spatial(node.attributes.dilations) },
    kernel_shape: { ints: kernelShape },
  }
}

/** Returns how a window moves over the picture. SAME_UPPER pads as TensorFlow's SAME does. */
function window(node: TfNode): Record<string, OnnxAttribute> {
  const same = text(node.attributes.padding) === 'SAME'
  return {
    auto_pad: { text: same ? 'SAME_UPPER' : 'VALID' },
    strides: { ints: spatial(node.attributes.strides) },
  }
}

/** Returns height and width from a list of four. */
function spatial(attribute: TfAttribute | undefined): number[] {
  const all = attribute?.list?.i?.map(Number) ?? [1, 1, 1, 1]
  return all.slice(1, 3)
}

function axisInFirst(axis: number): number {
  const place = AXIS_IN_FIRST[axis < 0 ? axis + 4 : axis]
  if (place === undefined) throw new Error(`Axis ${axis} does not exist`)
  return place
}

function fusedOps(node: TfNode): string[] {
  return (node.attributes.fused_ops?.list?.s ?? []).map(decodeText)
}

function text(attribute: TfAttribute | undefined): string {
  return decodeText(attribute?.s ?? '')
}

function decodeText(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}

function input(node: TfNode, index: number): string {
  const name = node.inputs[index]
  if (name === undefined) throw new Error(`${node.name} has no input ${index}`)
  return name
}
