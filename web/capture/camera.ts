/** Camera pictures as JPEG. */

import { until } from './until.ts'

export interface CameraSettings {
  readonly width: number
  readonly height: number
  readonly fps: number
  readonly jpeg_quality: number
  readonly max_frames: number
}

export interface TakenFrame {
  readonly t_ms: number
  readonly jpeg: Blob
}

/**
 * Takes frames for `duration_ms` from `shown_at`, or until `signal` ends it. Only new pictures of the camera are taken,
 * at most `fps` a second.
 */
export async function takeFrames(
  video: HTMLVideoElement,
  settings: CameraSettings,
  shown_at: number,
  duration_ms: number,
  signal?: AbortSignal,
): Promise<TakenFrame[]> {
  const { canvas, draw } = frameCanvas(video, settings)
  const taken: Promise<TakenFrame>[] = []
  // A camera is never exactly on time, so a picture may come a little early.
  const gap_ms = 1000 / settings.fps - 12
  // A frozen camera gives no more pictures, but the step must still end.
  const end = until(shown_at + duration_ms, signal).then(() => false)
  for (let last = Number.NEGATIVE_INFINITY; taken.length < settings.max_frames; ) {
    const isNew = await Promise.race([newPicture(video).then(() => true), end])
    const now = performance.now()
    if (!isNew || now - shown_at > duration_ms) break
    if (now < shown_at || now - last < gap_ms) continue
    last = now
    draw()
    taken.push(encoded(canvas, settings.jpeg_quality, now - shown_at))
  }
  return Promise.all(taken)
}

/** Draws the middle of the picture in the requested shape. Never mirrored: left stays left. */
function frameCanvas(video: HTMLVideoElement, { width, height }: CameraSettings) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d', { alpha: false })
  if (context === null) throw new Error('This browser cannot draw pictures.')
  const draw = () => {
    const scale = Math.max(width / video.videoWidth, height / video.videoHeight)
    const [w, h] = [width / scale, height / scale]
    context.drawImage(
      video,
      (video.videoWidth - w) / 2,
      (video.videoHeight - h) / 2,
      w,
      h,
      0,
      0,
      width,
      height,
    )
  }
  return { canvas, draw }
}

function newPicture(video: HTMLVideoElement): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(resolve)
    else requestAnimationFrame(resolve)
  })
}

function encoded(canvas: HTMLCanvasElement, quality: number, t_ms: number): Promise<TakenFrame> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (jpeg) =>
        jpeg === null ? reject(new Error('A picture could not be encoded.')) : resolve({ t_ms, jpeg }),
      'image/jpeg',
      quality,
    )
  })
}
