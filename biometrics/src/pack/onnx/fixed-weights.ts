import { bytesField, type Field, intField, message } from './protobuf.ts'
import { type ReadField, readFields } from './read-protobuf.ts'

/** Before this version of the format, every weight also had to be an input of the net. */
const WEIGHTS_ARE_NO_INPUTS = 4n
const MODEL = { ir_version: 1, graph: 7 } as const
const GRAPH = { initializer: 5, input: 11 } as const
const INITIALIZER_NAME = 8
const INPUT_NAME = 1

/**
 * Returns the same net with weights that callers can't replace. A weight that is also an input may change with every
 * call, so the runtime folds nothing into it, and the net takes a quarter longer. Nothing else changes.
 */
export function fixedWeights(net: Uint8Array): Uint8Array {
  return message(
    readFields(net).map((field) => {
      if (field.number === MODEL.ir_version && field.value !== undefined)
        return intField(MODEL.ir_version, max(field.value, WEIGHTS_ARE_NO_INPUTS))
      return field.number === MODEL.graph ? bytesField(MODEL.graph, withoutWeightInputs(field)) : [field.raw]
    }),
  )
}

function withoutWeightInputs({ bytes }: ReadField): Uint8Array {
  const fields = readFields(present(bytes))
  const weights = new Set(
    fields.filter(({ number }) => number === GRAPH.initializer).map((one) => nameIn(one, INITIALIZER_NAME)),
  )
  const isKept = (field: ReadField) => field.number !== GRAPH.input || !weights.has(nameIn(field, INPUT_NAME))
  return message(fields.filter(isKept).map(({ raw }): Field => [raw]))
}

function nameIn({ bytes }: ReadField, number: number): string {
  const name = readFields(present(bytes)).find((field) => field.number === number)
  return new TextDecoder().decode(present(name?.bytes))
}

function present(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('The net is refused: it is not an ONNX model.')
  return bytes
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
