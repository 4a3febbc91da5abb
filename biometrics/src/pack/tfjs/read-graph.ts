/** Reads a TensorFlow.js graph model: its nodes in order, and its weights as float32 or int32. */
export interface TfGraph {
  readonly nodes: readonly TfNode[]
  readonly weights: ReadonlyMap<string, TfWeight>
  /** The names of the outputs, in the order of the signature. */
  readonly outputs: readonly string[]
}

export interface TfNode {
  readonly name: string
  readonly op: string
  readonly inputs: readonly string[]
  readonly attributes: Readonly<Record<string, TfAttribute>>
}

export interface TfAttribute {
  readonly s?: string
  readonly b?: boolean
  readonly list?: { readonly i?: readonly string[]; readonly s?: readonly string[] }
  readonly shape?: TfShape
}

export interface TfWeight {
  readonly shape: readonly number[]
  readonly data: Float32Array | Int32Array
}

interface TfShape {
  readonly dim: readonly { readonly size: string }[]
}

interface Signature {
  readonly outputs: Readonly<Record<string, { readonly name: string }>>
}

interface ModelFile {
  readonly signature?: Signature
  readonly userDefinedMetadata?: { readonly signature?: Signature }
  readonly modelTopology: {
    readonly node: readonly {
      readonly name: string
      readonly op: string
      readonly input?: readonly string[]
      readonly attr?: TfNode['attributes']
    }[]
  }
  readonly weightsManifest: readonly { readonly weights: readonly WeightEntry[] }[]
}

interface WeightEntry {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly dtype: string }
}

/** Both files were checked against their pinned hashes, so an unexpected format is a bug, not an input error. */
export function readGraph(json: Uint8Array, bin: Uint8Array): TfGraph {
  // A cast, because the pinned hash proves that this is the file that the type was written for.
  const file = JSON.parse(new TextDecoder().decode(json)) as ModelFile
  const signature = file.signature ?? file.userDefinedMetadata?.signature
  if (signature === undefined) throw new Error('The net has no signature')
  return {
    nodes: file.modelTopology.node.map((node) => ({
      name: node.name,
      op: node.op,
      inputs: (node.input ?? []).map(nodeName),
      attributes: node.attr ?? {},
    })),
    weights: readWeights(
      file.weightsManifest.flatMap((group) => group.weights),
      bin,
    ),
    outputs: Object.values(signature.outputs).map((output) => nodeName(output.name)),
  }
}

/** `name:0` is the first output of the node `name`. */
function nodeName(reference: string): string {
  return reference.replace(/:0$/, '')
}

function readWeights(entries: readonly WeightEntry[], bin: Uint8Array): Map<string, TfWeight> {
  const weights = new Map<string, TfWeight>()
  let offset = 0
  for (const entry of entries) {
    const bytesEach = entry.quantization?.dtype === 'float16' ? 2 : 4
    const length = entry.shape.reduce((product, size) => product * size, 1) * bytesEach
    weights.set(entry.name, {
      shape: entry.shape,
      // A copy, because the numbers in the file aren't aligned.
      data: readNumbers(entry, Uint8Array.from(bin.subarray(offset, offset + length))),
    })
    offset += length
  }
  if (offset !== bin.length) throw new Error('The weights do not fill their file')
  return weights
}

function readNumbers(entry: WeightEntry, bytes: Uint8Array): TfWeight['data'] {
  const form = `${entry.dtype}/${entry.quantization?.dtype ?? 'plain'}`
  if (form === 'float32/plain') return new Float32Array(bytes.buffer)
  if (form === 'int32/plain') return new Int32Array(bytes.buffer)
  if (form === 'float32/float16') return Float32Array.from(new Uint16Array(bytes.buffer), fromHalf)
  throw new Error(`Weights of type ${form} are not supported`)
}

/** Decodes a half-precision float: 1 sign bit, 5 exponent bits, 10 fraction bits. */
function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
