import { randomInt } from 'node:crypto'
import type {
  FaceSample,
  Frame,
  Gesture,
  MouthSample,
  Step,
  StepEvidence,
  VisionEvidence,
} from '../contract.ts'
import { deviceHints } from './device-hints.ts'
import { lidOpening } from './eye-contour.ts'
import { faceEmbedding } from './face-embedding.ts'
import { type FaceMesh, meshPoint } from './face-mesh.ts'
import { NOSE } from './face-points.ts'
import { eyeDistance, eyeOpening, mouthOpening, poseOf } from './face-pose.ts'
import { fingerprintOf } from './fingerprint.ts'
import { floatsToText } from './float-text.ts'
import { gestureOf } from './gestures.ts'
import type { JpegDecoder } from './jpeg-decoder.ts'
import { PictureError } from './jpeg-header.ts'
import { lumaPatch, sharpnessOf } from './luma-patch.ts'
import { MOIRE_SIZE, moirePeak } from './moire.ts'
import { mouthDarkness } from './mouth-darkness.ts'
import type { VisionNets } from './nets.ts'
import { type FaceReference, parallaxOf, referenceOf } from './parallax.ts'
import type { Picture } from './picture.ts'
import { skinLight } from './skin-light.ts'
import { spotFaces } from './spot-faces.ts'
import { faceTracker } from './track-face.ts'
import { handTracker } from './track-hand.ts'

/** Every sixth frame's spectrum is analysed, which reveals a screen as well as all frames do. */
const MOIRE_EVERY = 6
/** Embeddings per step: enough to notice another face in the middle of a step. */
const EMBEDDINGS = 3

export interface VisionRequest {
  readonly step: Step
  readonly frames: readonly Frame[]
  readonly video_label: string | undefined
  readonly prior: readonly StepEvidence[]
  /** Called for a few clear faces of the step, for the operator's own nets. */
  readonly onFace?: ((picture: Picture, mesh: FaceMesh) => Promise<void>) | undefined
}

export interface VisionParts {
  readonly nets: VisionNets
  readonly decoder: JpegDecoder
}

/** One frame with a face, kept while the step is analysed. */
interface SeenFace {
  readonly sample: FaceSample
  readonly mesh: FaceMesh
  readonly reference: FaceReference
}

/** Measures the frames of one step. Keeps nothing between calls. */
export async function analyseVision(request: VisionRequest, parts: VisionParts): Promise<VisionEvidence> {
  const { step, frames, prior } = request
  const neutral = prior.find((evidence) => evidence.step.kind === 'neutral')?.vision.reference
  const decode = await parts.decoder.open()
  const faces = faceTracker(parts.nets)
  const hands = handTracker(parts.nets)
  const seen: SeenFace[] = []
  const counts: number[] = []
  const moire: number[] = []
  const mouth: MouthSample[] = []
  const gestures: (Gesture | null)[] = []
  const fingerprints: string[] = []
  for (const [index, frame] of frames.entries()) {
    const picture = pictureOf(decode, frame, index)
    fingerprints.push(fingerprintOf(picture))
    if (step.kind === 'gesture') gestures.push(await gestureIn(hands, picture))
    const { mesh, faces: count } = await faces.next(picture)
    if (count !== undefined) counts.push(count)
    if (mesh === undefined) continue
    const eyes = isBlink(step) ? await lidOpening(parts.nets.eye_contour, picture, mesh) : eyeOpening(mesh)
    seen.push(faceIn(picture, mesh, { frame: index, eyes, neutral }))
    if (step.kind === 'speak')
      mouth.push({ t_ms: frame.t_ms, darkness: rounded(mouthDarkness(picture, mesh)) })
    if (index % MOIRE_EVERY === 0)
      moire.push(moirePeak(lumaPatch(picture, meshPoint(mesh, NOSE.tip), MOIRE_SIZE)))
  }
  const pictureIn = ({ sample }: SeenFace) =>
    pictureOf(decode, frames[sample.frame] ?? NO_FRAME, sample.frame)
  const embeddingOf = async (picture: Picture, { mesh }: SeenFace) =>
    floatsToText(await faceEmbedding(parts.nets.face_embedding, picture, mesh))
  const embeddings: string[] = []
  for (const face of bestFaces(seen)) {
    const picture = pictureIn(face)
    embeddings.push(await embeddingOf(picture, face))
    await request.onFace?.(picture, face.mesh)
  }
  const spots: string[] = []
  for (const face of spotFaces(step, seen, randomInt)) spots.push(await embeddingOf(pictureIn(face), face))
  return {
    frames: frames.length,
    t_ms: frames.map((frame) => frame.t_ms),
    faces: seen.map(({ sample }) => sample),
    searched: counts.length,
    several_faces: counts.filter((count) => count > 1).length,
    reference: step.kind === 'neutral' ? middleReference(seen) : undefined,
    embeddings,
    spots,
    moire: moire.map(rounded),
    fingerprints,
    gestures,
    mouth,
    device_hints: deviceHints(request.video_label),
  }
}

const NO_FRAME: Frame = { t_ms: 0, jpeg: new Uint8Array() }

function pictureOf(decode: (bytes: Uint8Array) => Picture, frame: Frame, index: number): Picture {
  try {
    return decode(frame.jpeg)
  } catch (error) {
    if (error instanceof PictureError) throw new PictureError(error.message, `/frames/${index}/jpeg`)
    throw error
  }
}

async function gestureIn(hands: ReturnType<typeof handTracker>, picture: Picture): Promise<Gesture | null> {
  const hand = await hands.next(picture)
  return (hand === undefined ? undefined : gestureOf(hand)) ?? null
}

function isBlink(step: Step): boolean {
  return step.kind === 'move' && step.movement === 'blink'
}

function faceIn(
  picture: Picture,
  mesh: FaceMesh,
  { frame, eyes, neutral }: { frame: number; eyes: number; neutral: FaceReference | undefined },
): SeenFace {
  const reference = referenceOf(mesh)
  const parallax = neutral === undefined ? undefined : parallaxOf(neutral, reference)
  const pose = poseOf(mesh)
  const light = skinLight(picture, mesh)
  const sharpness = sharpnessOf(lumaPatch(picture, meshPoint(mesh, NOSE.tip), 64), 64)
  const sample: FaceSample = {
    frame,
    yaw: rounded(pose.yaw),
    pitch: rounded(pose.pitch),
    roll: rounded(pose.roll),
    eye_distance: rounded(eyeDistance(mesh) / picture.width),
    mouth: rounded(mouthOpening(mesh)),
    eyes: rounded(eyes),
    parallax_x: parallax === undefined ? null : rounded(parallax.x),
    parallax_y: parallax === undefined ? null : rounded(parallax.y),
    luma: rounded(light.luma),
    red: rounded(light.red),
    blue: rounded(light.blue),
    sharpness: rounded(sharpness),
  }
  return { sample, mesh, reference }
}

/** Returns the face that looks most directly into the camera in each third of the step. */
function bestFaces(seen: readonly SeenFace[]): SeenFace[] {
  const third = Math.ceil(seen.length / EMBEDDINGS)
  return Array.from({ length: EMBEDDINGS }, (_, i) => seen.slice(i * third, (i + 1) * third)).flatMap(
    (part) => {
      const [best] = [...part].sort((a, b) => askew(a.sample) - askew(b.sample))
      return best ?? []
    },
  )
}

function askew({ yaw, sharpness }: FaceSample): number {
  return Math.abs(yaw) - Math.min(10, sharpness)
}

/** Returns the median of every coordinate, so that no single frame decides. */
function middleReference(seen: readonly SeenFace[]): FaceReference | undefined {
  return seen[0]?.reference.map((_, point) => ({
    x: rounded(median(seen.map(({ reference }) => reference[point]?.x ?? 0))),
    y: rounded(median(seen.map(({ reference }) => reference[point]?.y ?? 0))),
  }))
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** Rounds to four digits, which is more than any measure's precision and keeps evidence small. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
