import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { MANIFEST, type Manifest, packVersion, THIS_PLATFORM } from './manifest.ts'
import { PackError } from './pack-error.ts'
import { readPackFile, verifyPack } from './verify-pack.ts'

export type TensorData = Float32Array | BigInt64Array | Int32Array | Uint8Array

/** Numbers with a shape, in or out of a net. */
export interface Tensor {
  readonly data: TensorData
  readonly dims: readonly number[]
}

/** A net that is ready to run. */
export interface Net {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>
}

/** The engine pack, as the process sees it that uses it. */
export interface Pack {
  readonly version: string
  /** Whether the pack has the net. Only nets of the voice may be missing. */
  has(net: string): boolean
  /** Loads `nets/<net>.onnx`, on one thread. */
  openNet(net: string): Promise<Net>
  /** The bytes of another file of the pack. */
  read(path: string): Uint8Array
  tensor(type: 'float32' | 'int64' | 'int32' | 'bool', data: TensorData, dims: readonly number[]): Tensor
}

/** The part of onnxruntime-node that is used. */
interface OnnxRuntime {
  readonly InferenceSession: {
    create(net: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<Net>
  }
  readonly Tensor: new (type: string, data: TensorData, dims: readonly number[]) => Tensor
}

const ONE_THREAD = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  // Errors only.
  logSeverityLevel: 3,
}

/**
 * Opens a pack after it has compared every byte with the manifest: a changed net or library is refused before anything of
 * it is loaded. Throws a `PackError` that says what to do.
 */
export function openPack(directory: string, manifest: Manifest = MANIFEST): Pack {
  const folder = resolve(directory)
  const there = verifyPack(folder, manifest, THIS_PLATFORM)
  const runtime = loadRuntime(folder)
  const files = new Map(
    [...manifest.required, ...manifest.optional].flatMap((source) =>
      source.files.map((file) => [file.path, file] as const),
    ),
  )
  const read = (path: string) => {
    const file = files.get(path)
    if (file === undefined) throw new PackError(`${path} is not a file of the engine pack`)
    return readPackFile(folder, file)
  }
  return {
    version: packVersion(manifest),
    has: (net) => there.has(pathOf(net)),
    openNet: (net) => runtime.InferenceSession.create(read(pathOf(net)), ONE_THREAD),
    read,
    tensor: (type, data, dims) => new runtime.Tensor(type, data, dims),
  }
}

function pathOf(net: string): string {
  return `nets/${net}.onnx`
}

function loadRuntime(folder: string): OnnxRuntime {
  try {
    return createRequire(join(folder, 'runtime/'))('onnxruntime-node')
  } catch (error) {
    // On a system without glibc, such as Alpine, the library doesn't load.
    const why = error instanceof Error ? error.message : String(error)
    throw new PackError(
      `The runtime of the engine doesn't load on this system: ${why}. It needs glibc on Linux. ` +
        'Use an image with glibc, or set DEPUTY_ENGINE=off.',
    )
  }
}
