import { bytesField, type Field, floatField, intField, message, messageField, textField } from './protobuf.ts'

/** A net as data, in ONNX operators, and its bytes. The field numbers are those of onnx.proto. */
export interface OnnxModel {
  readonly name: string
  readonly inputs: readonly OnnxValue[]
  readonly outputs: readonly OnnxValue[]
  readonly nodes: readonly OnnxNode[]
  readonly constants: readonly OnnxConstant[]
}

export interface OnnxValue {
  readonly name: string
  /** A string is a dimension that the caller chooses for each call. Undefined leaves the shape to the runtime. */
  readonly shape: readonly (number | string)[] | undefined
}

export interface OnnxNode {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: Readonly<Record<string, OnnxAttribute>>
}

export type OnnxAttribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly text: string }
  | { readonly ints: readonly number[] }

/** `data` decides the type: float32, int64, int8 or uint8. */
export interface OnnxConstant {
  readonly name: string
  readonly shape: readonly number[]
  readonly data: Float32Array | BigInt64Array | Int8Array | Uint8Array
}

const IR_VERSION = 8
const OPERATOR_SET = 17
const FLOAT = 1

export function encodeModel(model: OnnxModel): Uint8Array {
  return message([
    intField(1, IR_VERSION),
    textField(2, 'deputy'),
    messageField(7, graphFields(model)),
    messageField(8, [textField(1, ''), intField(2, OPERATOR_SET)]),
  ])
}

function graphFields(model: OnnxModel): Field[] {
  return [
    ...model.nodes.map((node) => messageField(1, nodeFields(node))),
    textField(2, model.name),
    ...model.constants.map((constant) => messageField(5, constantFields(constant))),
    ...model.inputs.map((value) => messageField(11, valueFields(value))),
    ...model.outputs.map((value) => messageField(12, valueFields(value))),
  ]
}

function nodeFields(node: OnnxNode): Field[] {
  return [
    ...node.inputs.map((name) => textField(1, name)),
    ...node.outputs.map((name) => textField(2, name)),
    textField(3, node.outputs[0] ?? ''),
    textField(4, node.operator),
    ...Object.entries(node.attributes).map(([name, value]) => messageField(5, attributeFields(name, value))),
  ]
}

function attributeFields(name: string, value: OnnxAttribute): Field[] {
  const head = textField(1, name)
  if ('float' in value) return [head, floatField(2, value.float), intField(20, 1)]
  if ('int' in value) return [head, intField(3, value.int), intField(20, 2)]
  if ('text' in value) return [head, textField(4, value.text), intField(20, 3)]
  return [head, ...value.ints.map((int) => intField(8, int)), intField(20, 7)]
}

function constantFields(constant: OnnxConstant): Field[] {
  const { buffer, byteOffset, byteLength } = constant.data
  return [
    ...constant.shape.map((size) => intField(1, size)),
    intField(2, typeOf(constant.data)),
    textField(8, constant.name),
    bytesField(9, new Uint8Array(buffer, byteOffset, byteLength)),
  ]
}

function typeOf(data: OnnxConstant['data']): number {
  if (data instanceof Float32Array) return FLOAT
  if (data instanceof BigInt64Array) return 7
  return data instanceof Int8Array ? 3 : 2
}

function valueFields(value: OnnxValue): Field[] {
  const shape = value.shape?.map((size) =>
    messageField(1, [typeof size === 'number' ? intField(1, size) : textField(2, size)]),
  )
  const tensor = [intField(1, FLOAT), ...(shape === undefined ? [] : [messageField(2, shape)])]
  return [textField(1, value.name), messageField(2, [messageField(1, tensor)])]
}
