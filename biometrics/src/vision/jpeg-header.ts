/** Why a picture is not accepted. The text is safe to show. */
export class PictureError extends Error {
  override readonly name = 'PictureError'
  /** Where it is, as a JSON pointer into the media, for example `/frames/3/jpeg`. */
  readonly pointer: string | undefined

  constructor(message: string, pointer?: string) {
    super(message)
    this.pointer = pointer
  }
}

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Phone and laptop cameras are within these limits. The nets see at most 256 pixels of a face. */
export const PICTURE_LIMITS = {
  min_width: 160,
  min_height: 120,
  max_width: 1280,
  max_height: 960,
  bytes: 262_144,
  /** A typical progressive picture has ten scans. Each scan costs a pass over the whole picture. */
  scans: 32,
} as const

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const BASELINE = 0xc0
const PROGRESSIVE = 0xc2
const PLAIN_SEGMENTS = new Set([0xc4, 0xdb, 0xdd, 0xfe])

/**
 * Reads the size of a JPEG by walking all of its segments, so that the decoder only ever sees a single 8-bit grey or
 * colour picture of bounded size. Orientation and thumbnails in EXIF are skipped unread.
 */
export function readJpegHeader(bytes: Uint8Array): PictureSize {
  if (bytes.length > PICTURE_LIMITS.bytes) refuse(`larger than ${PICTURE_LIMITS.bytes} bytes`)
  if (bytes[0] !== 0xff || bytes[1] !== SOI) refuse('not a JPEG')
  let at = 2
  let scans = 0
  let size: PictureSize | undefined
  for (;;) {
    const marker = markerAt(bytes, at)
    at += 2
    if (marker === EOI) break
    const end = at + segmentLength(bytes, at)
    if (marker === BASELINE || marker === PROGRESSIVE) {
      if (size !== undefined) refuse('two pictures in one file')
      size = frameSize(bytes, at, end)
    } else if (marker === SOS) {
      if (size === undefined) refuse('a scan comes before the size')
      scans += 1
      if (scans > PICTURE_LIMITS.scans) refuse(`more than ${PICTURE_LIMITS.scans} scans`)
    } else if (!isPlain(marker)) refuse('not a baseline or progressive JPEG')
    at = marker === SOS ? endOfScan(bytes, end) : end
  }
  if (size === undefined || scans === 0) refuse('no picture inside')
  if (at !== bytes.length) refuse('bytes after the end of the picture')
  return size
}

function refuse(why: string): never {
  throw new PictureError(
    `The picture cannot be used: ${why}. Send one JPEG per frame, as a canvas encodes it.`,
  )
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? refuse('it ends too early')
}

function wordAt(bytes: Uint8Array, at: number): number {
  return byteAt(bytes, at) * 256 + byteAt(bytes, at + 1)
}

/** Returns the marker. Doesn't allow fill bytes before it, which are legal but never written. */
function markerAt(bytes: Uint8Array, at: number): number {
  if (byteAt(bytes, at) !== 0xff) refuse('its segments are inconsistent')
  return byteAt(bytes, at + 1)
}

function segmentLength(bytes: Uint8Array, at: number): number {
  const length = wordAt(bytes, at)
  if (length < 2 || at + length > bytes.length) refuse('a segment has a wrong length')
  return length
}

/** Whether the segment is a table, a comment or application data. */
function isPlain(marker: number): boolean {
  return PLAIN_SEGMENTS.has(marker) || (marker >= 0xe0 && marker <= 0xef)
}

function frameSize(bytes: Uint8Array, at: number, end: number): PictureSize {
  const [bits, height, width, components] = [
    byteAt(bytes, at + 2),
    wordAt(bytes, at + 3),
    wordAt(bytes, at + 5),
    byteAt(bytes, at + 7),
  ]
  if (bits !== 8) refuse(`${bits} bits per sample instead of 8`)
  if (components !== 1 && components !== 3) refuse(`${components} colour components instead of 1 or 3`)
  if (end !== at + 8 + 3 * components) refuse('a segment has a wrong length')
  const { min_width, min_height, max_width, max_height } = PICTURE_LIMITS
  if (width < min_width || height < min_height) refuse(`smaller than ${min_width}x${min_height}`)
  if (width > max_width || height > max_height) refuse(`larger than ${max_width}x${max_height}`)
  return { width, height }
}

/** Returns where a scan ends. Inside a scan, 0xff is followed by 0x00 or a restart marker; anything else ends it. */
function endOfScan(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(0xff, start)
  while (at !== -1) {
    const next = byteAt(bytes, at + 1)
    if (next !== 0x00 && (next < 0xd0 || next > 0xd7)) return at
    at = bytes.indexOf(0xff, at + 2)
  }
  return refuse('it ends too early')
}
