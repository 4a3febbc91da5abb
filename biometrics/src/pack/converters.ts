import type { ConverterName } from './manifest/source.ts'
import { fixedWeights } from './onnx/fixed-weights.ts'
import { tfjsToOnnx } from './tfjs/tfjs-to-onnx.ts'
import { ecapaToOnnx } from './voice/ecapa-to-onnx.ts'
import { ge2eToOnnx } from './voice/ge2e-to-onnx.ts'

/** Creates a file of the pack from members of an archive. The same members always give the same bytes. */
type Converter = (name: string, members: readonly Uint8Array[]) => Uint8Array

export const CONVERTERS: Readonly<Record<ConverterName, Converter>> = {
  copy: (_, [bytes]) => present(bytes),
  fixed_weights: (_, [net]) => fixedWeights(present(net)),
  tfjs: (name, [json, bin]) => tfjsToOnnx(name, present(json), present(bin)),
  ecapa: (name, [checkpoint]) => ecapaToOnnx(name, present(checkpoint)),
  ge2e: (name, [checkpoint]) => ge2eToOnnx(name, present(checkpoint)),
}

function present(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('The manifest names too few members')
  return bytes
}
