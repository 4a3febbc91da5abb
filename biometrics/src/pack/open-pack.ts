import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type OnnxRuntime, openTensorNet, type TensorNet } from '../tensor-net.ts'
import type { PackFile } from './manifest/source.ts'
import { MANIFEST, type Manifest, packVersion, THIS_PLATFORM } from './manifest.ts'
import { PackError } from './pack-error.ts'
import { readPackFile, verifyPack } from './verify-pack.ts'

/** The engine pack, as seen by the process that uses it. */
export interface Pack {
  readonly version: string
  /** Whether the pack has the net. Only voice nets may be missing. */
  has(net: string): boolean
  /** Loads `nets/<net>.onnx`, on one thread. */
  openNet(net: string): Promise<TensorNet>
  /** Loads a net that is not part of the pack. */
  openOther(net: Uint8Array): Promise<TensorNet>
  /** Returns the bytes of another file of the pack. */
  read(file: string): Uint8Array
}

/**
 * Opens a pack after comparing every byte with the manifest: a changed net or library is refused before any of it is
 * loaded. Throws a `PackError` that says what to do.
 */
export function openPack(directory: string, manifest: Manifest = MANIFEST): Pack {
  const folder = resolve(directory)
  const files = verifyPack(folder, manifest, THIS_PLATFORM)
  const runtime = loadRuntime(folder)
  return {
    version: packVersion(manifest),
    has: (net) => files.has(netPath(net)),
    openNet: async (net) => openTensorNet(runtime, readPackFile(folder, fileAt(files, netPath(net)))),
    openOther: (net) => openTensorNet(runtime, net),
    read: (file) => readPackFile(folder, fileAt(files, file)),
  }
}

function netPath(net: string): string {
  return `nets/${net}.onnx`
}

function fileAt(files: ReadonlyMap<string, PackFile>, path: string): PackFile {
  const file = files.get(path)
  if (file === undefined) throw new PackError(`The engine pack has no ${path}.`)
  return file
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
