import {
  EngineError,
  MEDIA_LIMITS,
  type StepMedia,
  type StepRequest,
  type UploadedStep,
} from '../contract.ts'

const BYTES_PER_MS = 32

/** Returns the step with its media as bytes. Throws `bad_media` beyond `MEDIA_LIMITS`, before any image is decoded. */
export function decodedStep(uploaded: UploadedStep): StepRequest {
  checkCounts(uploaded)
  const { frames, sound, device } = uploaded.media
  const media: StepMedia = {
    frames: frames.map(({ t_ms, jpeg }, index) => ({
      t_ms: time(t_ms, `/frames/${index}/t_ms`),
      jpeg: bytes(jpeg, MEDIA_LIMITS.bytes_per_frame, `/frames/${index}/jpeg`),
    })),
    sound: sound && {
      t0_ms: time(sound.t0_ms, '/sound/t0_ms'),
      pcm16: samples(bytes(sound.pcm16, MEDIA_LIMITS.sound_ms_per_step * BYTES_PER_MS, '/sound/pcm16')),
    },
    device,
  }
  checkOrder(media)
  return { ...uploaded, media }
}

/** Overwrites media. A base64 string can't be overwritten; it is freed with its message. */
export function wipe(media: StepMedia): void {
  for (const { jpeg } of media.frames) jpeg.fill(0)
  media.sound?.pcm16.fill(0)
}

function checkCounts({ media: { frames, sound }, prior }: UploadedStep): void {
  if (frames.length > MEDIA_LIMITS.frames_per_step)
    throw bad(`Send at most ${MEDIA_LIMITS.frames_per_step} frames in a step.`, '/frames')
  const earlier = prior.reduce((sum, { vision }) => sum + vision.frames, 0)
  if (earlier + frames.length > MEDIA_LIMITS.frames_per_capture)
    throw bad(`Send at most ${MEDIA_LIMITS.frames_per_capture} frames in a capture.`, '/frames')
  const size = frames.reduce((sum, { jpeg }) => sum + sizeOf(jpeg), sound ? sizeOf(sound.pcm16) : 0)
  if (size > MEDIA_LIMITS.bytes_per_step)
    throw bad(`Send at most ${MEDIA_LIMITS.bytes_per_step} bytes in a step.`, '')
}

function checkOrder({ frames }: StepMedia): void {
  const late = frames.findIndex(({ t_ms }, index) => t_ms < (frames[index - 1]?.t_ms ?? 0))
  if (late !== -1) throw bad('Send frames in the order of their times.', `/frames/${late}/t_ms`)
}

/** Returns the number of bytes that a base64 string encodes, without decoding it. */
function sizeOf(encoded: Uint8Array | string): number {
  if (typeof encoded !== 'string') return encoded.byteLength
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0
  return Math.floor(((encoded.length - padding) * 3) / 4)
}

function bytes(encoded: Uint8Array | string, limit: number, pointer: string): Uint8Array {
  const size = sizeOf(encoded)
  if (size === 0) throw bad('This is empty. Send the bytes.', pointer)
  if (size > limit) throw bad(`Send at most ${limit} bytes here.`, pointer)
  if (typeof encoded !== 'string') return encoded
  const decoded = Buffer.from(encoded, 'base64')
  // Node's decoder skips anything that isn't base64, which makes the result too short.
  if (decoded.byteLength !== size) throw bad('Send base64.', pointer)
  return decoded
}

function samples(pcm16: Uint8Array): Uint8Array {
  if (pcm16.byteLength % 2 !== 0) throw bad('Send whole 16-bit samples.', '/sound/pcm16')
  return pcm16
}

function time(ms: number, pointer: string): number {
  if (!Number.isFinite(ms) || ms < 0) throw bad('Send milliseconds since the step was shown.', pointer)
  return ms
}

function bad(message: string, pointer: string): EngineError {
  return new EngineError('bad_media', message, { pointer })
}
