/** A net of the pack that takes one tensor and returns tensors by name. */
export type PictureNet = (input: Float32Array) => Promise<Readonly<Record<string, Float32Array>>>

/** The nets for pictures, each with the shape of its input. */
export interface VisionNets {
  /** 256x256 interleaved, -1 to 1. */
  readonly face_detector: PictureNet
  /** 192x192 interleaved, 0 to 1. */
  readonly face_mesh: PictureNet
  /** 64x64 interleaved, 0 to 1. */
  readonly eye_contour: PictureNet
  /** 112x112 in planes, 0 to 255. */
  readonly face_embedding: PictureNet
  /** 256x256 interleaved, -1 to 1. */
  readonly palm_detector: PictureNet
  /** 224x224 interleaved, 0 to 1. */
  readonly hand_landmarks: PictureNet
}

/** Returns the output with `length` values. Outputs are identified by shape, because converters rename them. */
export function outputOf(outputs: Readonly<Record<string, Float32Array>>, length: number): Float32Array {
  const found = Object.values(outputs).find((values) => values.length === length)
  if (found === undefined) throw new Error(`the net has no output of ${length} values`)
  return found
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value))
}
