import { readSound } from '../audio/read-sound.ts'
import type {
  OperatorNet,
  OperatorNetInput,
  OperatorNetScores,
  Sound,
  Step,
  StepEvidence,
} from '../contract.ts'
import type { Pack } from '../pack/open-pack.ts'
import { floats, floatsOf, type TensorNet } from '../tensor-net.ts'
import type { FaceMesh } from '../vision/face-mesh.ts'
import type { Picture } from '../vision/picture.ts'
import { samplePatch, turnedSquare } from '../vision/sample.ts'
import { genuineScore } from './genuine-score.ts'

export interface OpenOperatorNet {
  readonly declared: OperatorNet
  readonly net: TensorNet
}

type FaceInput = Extract<OperatorNetInput, { readonly size: number }>

export function openOperatorNets(pack: Pack, nets: readonly OperatorNet[]): Promise<OpenOperatorNet[]> {
  return Promise.all(nets.map(async (declared) => ({ declared, net: await pack.openOther(declared.model) })))
}

/** Collects the nets' scores for one step. */
export interface OperatorScoring {
  face(picture: Picture, mesh: FaceMesh): Promise<void>
  sound(sound: Sound): Promise<void>
  /** Returns the scores. Nets for sound are included only for the speak step. */
  evidence(step: Step): Pick<StepEvidence, 'operator_nets'>
}

export function operatorScoring(nets: readonly OpenOperatorNet[]): OperatorScoring {
  const scores = new Map<string, number[]>()
  async function ask({ declared, net }: OpenOperatorNet, values: Float32Array, dims: readonly number[]) {
    const outputs = await net.run({ [declared.input.name]: floats(values, dims) })
    const score = genuineScore(floatsOf(outputs, declared.output.name), declared.output)
    scores.set(declared.name, [...(scores.get(declared.name) ?? []), score])
  }
  return {
    async face(picture, mesh) {
      for (const one of nets) {
        const { input } = one.declared
        if ('size' in input) await ask(one, facePatch(picture, mesh, input), faceDims(input))
      }
    },
    async sound(sound) {
      for (const one of nets) {
        const { input } = one.declared
        if ('samples' in input) await ask(one, fitted(readSound(sound), input.samples), [1, input.samples])
      }
    },
    evidence(step) {
      if (nets.length === 0) return {}
      const asked = nets.filter(({ declared }) => 'size' in declared.input || step.kind === 'speak')
      return { operator_nets: asked.map(({ declared }) => scoresOf(declared, scores)) }
    },
  }
}

function scoresOf(
  { name, role, threshold }: OperatorNet,
  scores: ReadonlyMap<string, readonly number[]>,
): OperatorNetScores {
  return { name, role, threshold, scores: scores.get(name) ?? [] }
}

function faceDims({ size, layout }: FaceInput): number[] {
  return layout === 'nchw' ? [1, 3, size, size] : [1, size, size, 3]
}

function facePatch(picture: Picture, mesh: FaceMesh, input: FaceInput): Float32Array {
  const { at, side } = faceSquare(mesh)
  const planes = input.layout === 'nchw'
  const map = turnedSquare(at, side * input.face_scale, 0, input.size)
  const patch = samplePatch(picture, map, input.size, { scale: 1 / 255, offset: 0, planes })
  const pixels = input.size * input.size
  const normalised = new Float32Array(patch.length)
  for (let channel = 0; channel < 3; channel += 1) {
    const from = input.channels === 'rgb' ? channel : 2 - channel
    const [mean = 0, std = 1] = [input.mean[channel], input.std[channel]]
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const place = (c: number) => (planes ? c * pixels + pixel : pixel * 3 + c)
      normalised[place(channel)] = ((patch[place(from)] ?? 0) - mean) / std
    }
  }
  return normalised
}

/** Returns the upright square around all points of the mesh. */
function faceSquare({ xyz }: FaceMesh): {
  readonly at: { readonly x: number; readonly y: number }
  readonly side: number
} {
  let [left, right, top, bottom] = [xyz[0] ?? 0, xyz[0] ?? 0, xyz[1] ?? 0, xyz[1] ?? 0]
  for (let index = 3; index < xyz.length; index += 3) {
    const [x = 0, y = 0] = [xyz[index], xyz[index + 1]]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  const side = Math.max(right - left, bottom - top)
  return { at: { x: (left + right) / 2, y: (top + bottom) / 2 }, side }
}

/** Returns the sound in the length that the net expects: cut at the end, or repeated. */
function fitted(samples: Float32Array, length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => samples[index % Math.max(1, samples.length)] ?? 0)
}
