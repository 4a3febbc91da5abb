/** A tensor as ONNX Runtime reads and writes it. */
export type TensorData =
  | { readonly type: 'float32'; readonly data: Float32Array; readonly dims: readonly number[] }
  | { readonly type: 'int64'; readonly data: BigInt64Array; readonly dims: readonly number[] }
  | { readonly type: 'bool'; readonly data: Uint8Array; readonly dims: readonly number[] }

export type Tensors = Readonly<Record<string, TensorData>>

/** One neural net, ready to run. */
export interface TensorNet {
  run(inputs: Tensors): Promise<Tensors>
}

/**
 * The part of `onnxruntime-node` that is used. Loaded from the engine pack by path, so its own types are unavailable.
 */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(net: string | Uint8Array, options: Readonly<Record<string, unknown>>): Promise<TensorNet>
  }
  readonly Tensor: new (
    type: TensorData['type'],
    data: TensorData['data'],
    dims: readonly number[],
  ) => TensorData
}

/** Opens a net, from its bytes or its path, on one thread, because a judging process uses one core. */
export async function openTensorNet(runtime: OnnxRuntime, net: string | Uint8Array): Promise<TensorNet> {
  const session = await runtime.InferenceSession.create(net, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
  })
  return {
    run: (inputs) => {
      const feeds = Object.entries(inputs).map(([name, { type, data, dims }]) => {
        return [name, new runtime.Tensor(type, data, dims)] as const
      })
      return session.run(Object.fromEntries(feeds))
    },
  }
}

export function floats(data: Float32Array, dims: readonly number[]): TensorData {
  return { type: 'float32', data, dims }
}

/** Returns the float32 output called `name`. Throws without it, because the code was written for a different net. */
export function floatsOf(outputs: Tensors, name: string): Float32Array {
  const output = outputs[name]
  if (output?.type !== 'float32') throw new Error(`The net has no float32 output "${name}".`)
  return output.data
}
