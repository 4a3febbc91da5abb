/** Hints about light and distance from small grey pictures. Guidance for the person only: none of it reaches the service. */

export const SAMPLE_WIDTH = 48
export const SAMPLE_HEIGHT = 64

/** Brightness per pixel, 0 to 255, row by row. */
export type GreyPicture = Uint8Array

export type FramingHint = 'ready' | 'dark' | 'bright' | 'backlit' | 'far' | 'near' | 'off_centre'

const DARK = 55
const BRIGHT = 205
/** A face in front of a window is at least this much darker than its surroundings. */
const BACKLIT_GAP = 70
/** A larger change of brightness is more than camera noise. */
const MOVED = 9
/** With fewer moving pixels, the place of the person is unknown. */
const FEWEST_MOVED = 24

/** Converts the pixels of a canvas to grey. */
export function greyOf(rgba: Uint8ClampedArray): GreyPicture {
  return Uint8Array.from({ length: rgba.length / 4 }, (_, i) => {
    const at = i * 4
    return ((rgba[at] ?? 0) * 77 + (rgba[at + 1] ?? 0) * 150 + (rgba[at + 2] ?? 0) * 29) >> 8
  })
}

/** Judges the light on what is in the oval. */
export function lightHint(picture: GreyPicture): FramingHint {
  const inside = mean(picture, isInOval)
  const around = mean(picture, (x, y) => !isInOval(x, y))
  if (inside < DARK) return around - inside > BACKLIT_GAP ? 'backlit' : 'dark'
  if (inside > BRIGHT) return 'bright'
  return around - inside > BACKLIT_GAP ? 'backlit' : 'ready'
}

/**
 * Judges where the person is. A person is never quite still but the background is, so the pixels that changed show
 * their outline, whatever the colour of their skin. Too little motion gives no hint.
 */
export function placeHint(pictures: readonly GreyPicture[]): FramingHint {
  const columns = movedColumns(pictures)
  const total = columns.reduce((sum, count) => sum + count, 0)
  if (total < FEWEST_MOVED) return 'ready'
  // A few pixels at the sides may be another person or a curtain.
  const left = quantile(columns, total * 0.08)
  const right = quantile(columns, total * 0.92)
  const width = (right - left + 1) / SAMPLE_WIDTH
  const middle = (left + right + 1) / 2 / SAMPLE_WIDTH
  if (width > 0.8) return 'near'
  if (Math.abs(middle - 0.5) > 0.2) return 'off_centre'
  return width < 0.25 ? 'far' : 'ready'
}

/** The most useful hint. Light comes first: without it, the place can't be judged. */
export function hintFor(pictures: readonly GreyPicture[]): FramingHint {
  const newest = pictures.at(-1)
  if (newest === undefined) return 'ready'
  const light = lightHint(newest)
  return light === 'ready' ? placeHint(pictures) : light
}

/** An ellipse in the middle, as large as the one that is drawn. */
function isInOval(x: number, y: number): boolean {
  const dx = (x + 0.5 - SAMPLE_WIDTH / 2) / (SAMPLE_WIDTH * 0.4)
  const dy = (y + 0.5 - SAMPLE_HEIGHT * 0.48) / (SAMPLE_HEIGHT * 0.41)
  return dx * dx + dy * dy <= 1
}

function mean(picture: GreyPicture, isCounted: (x: number, y: number) => boolean): number {
  let sum = 0
  let count = 0
  picture.forEach((value, at) => {
    if (!isCounted(at % SAMPLE_WIDTH, Math.floor(at / SAMPLE_WIDTH))) return
    sum += value
    count += 1
  })
  return count === 0 ? 0 : sum / count
}

/** The number of pixels in each column that changed between the pictures. */
function movedColumns(pictures: readonly GreyPicture[]): number[] {
  const columns = new Array<number>(SAMPLE_WIDTH).fill(0)
  const [first, ...others] = pictures
  first?.forEach((value, at) => {
    const hasMoved = others.some((other) => Math.abs((other[at] ?? value) - value) > MOVED)
    if (hasMoved) columns[at % SAMPLE_WIDTH] = (columns[at % SAMPLE_WIDTH] ?? 0) + 1
  })
  return columns
}

/** The first column up to which there are `wanted` pixels. */
function quantile(columns: readonly number[], wanted: number): number {
  let sum = 0
  return columns.findIndex((count) => {
    sum += count
    return sum >= wanted
  })
}
