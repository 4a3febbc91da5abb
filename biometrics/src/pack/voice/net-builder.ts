import {
  encodeModel,
  type OnnxAttribute,
  type OnnxConstant,
  type OnnxNode,
  type OnnxValue,
} from '../onnx/onnx-model.ts'
import type { Weights } from './read-weights.ts'

/** Builds a net operation by operation. Each method returns the name of its result. */
export class NetBuilder {
  readonly #weights: Weights
  readonly #nodes: OnnxNode[] = []
  readonly #constants = new Map<string, OnnxConstant>()

  constructor(weights: Weights) {
    this.#weights = weights
  }

  /** Appends an operation with one result. */
  add(operator: string, inputs: readonly string[], attributes: Record<string, OnnxAttribute> = {}): string {
    const output = `${operator.toLowerCase()}_${this.#nodes.length}`
    this.#nodes.push({ operator, inputs, outputs: [output], attributes })
    return output
  }

  /** Splits into equal parts along `axis`. */
  split(input: string, parts: number, axis: number): string[] {
    const outputs = Array.from({ length: parts }, (_, part) => `split_${this.#nodes.length}_${part}`)
    this.#nodes.push({ operator: 'Split', inputs: [input], outputs, attributes: { axis: { int: axis } } })
    return outputs
  }

  /** Appends an operation whose second result is used, such as the last state of an LSTM. */
  addSecond(
    operator: string,
    inputs: readonly string[],
    attributes: Record<string, OnnxAttribute>,
  ): [string, string] {
    const name = `${operator.toLowerCase()}_${this.#nodes.length}`
    const outputs: [string, string] = [`${name}_a`, `${name}_b`]
    this.#nodes.push({ operator, inputs, outputs, attributes })
    return outputs
  }

  /** Adds a weight of the checkpoint. */
  weight(name: string): string {
    return this.constant(name, this.shapeOf(name), this.dataOf(name))
  }

  constant(name: string, shape: readonly number[], data: OnnxConstant['data']): string {
    this.#constants.set(name, { name, shape, data })
    return name
  }

  scalar(value: number): string {
    return this.constant(`scalar_${value}`, [], Float32Array.of(value))
  }

  shapeOf(name: string): readonly number[] {
    return this.#weightOf(name).shape
  }

  dataOf(name: string): Float32Array {
    return this.#weightOf(name).data
  }

  encode(name: string, input: OnnxValue, output: OnnxValue, result: string): Uint8Array {
    const named: OnnxNode = { operator: 'Identity', inputs: [result], outputs: [output.name], attributes: {} }
    return encodeModel({
      name,
      inputs: [input],
      outputs: [output],
      nodes: [...this.#nodes, named],
      constants: [...this.#constants.values()],
    })
  }

  #weightOf(name: string) {
    const weight = this.#weights.get(name)
    if (weight === undefined) throw new Error(`The weights are refused: ${name} is missing.`)
    return weight
  }
}
