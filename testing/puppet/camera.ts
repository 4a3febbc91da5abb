import { eased } from './acting.ts'
import { type Bitmap, blankBitmap, samplePixel } from './bitmap.ts'
import { HEIGHT, WIDTH } from './figure.ts'
import type { HeadPose } from './head-pose.ts'
import { gaussian, type Random } from './random.ts'

/** What comes between a scene and the file: a print, a screen, a dark room, and sensor noise. */

const NOISE_LENGTH = 1 << 16
/** Each piece of a picture takes its noise from a different position. */
const NOISE_PIECE = 4096

/** Adds sensor noise. */
export function sensorNoise(random: Random, sigma: number): (picture: Bitmap) => void {
  const noise = Int8Array.from({ length: NOISE_LENGTH }, () => Math.round(gaussian(random) * sigma))
  return ({ rgb }) => {
    random() // unused, so that a puppet keeps the noise of its seed
    for (let start = 0; start < rgb.length; start += NOISE_PIECE) {
      const at = Math.floor(random() * NOISE_LENGTH)
      const end = Math.min(rgb.length, start + NOISE_PIECE)
      for (let i = start; i < end; i++) rgb[i] = (rgb[i] ?? 0) + (noise[(at + i) & (NOISE_LENGTH - 1)] ?? 0)
    }
  }
}

export function darkened(picture: Bitmap, part: number): void {
  for (let i = 0; i < picture.rgb.length; i++) picture.rgb[i] = (picture.rgb[i] ?? 0) * part
}

/** A print: dots of ink on slightly yellow paper. */
export function printed(picture: Bitmap): Bitmap {
  const print = { ...picture, rgb: picture.rgb.slice() }
  for (let y = 0; y < print.height; y++)
    for (let x = 0; x < print.width; x++) {
      const dots = 9 * Math.sin((x + y) * 1.55) * Math.sin((x - y) * 1.55)
      const at = (y * print.width + x) * 3
      for (let c = 0; c < 3; c++) print.rgb[at + c] = 14 + ((picture.rgb[at + c] ?? 0) + dots) * 0.88 - c * 3
    }
  return print
}

/** A screen that shows a picture: its pixels form moiré with the camera's, and its colours are too strong. */
export function onScreen(picture: Bitmap, phase: number): Bitmap {
  const screen = blankBitmap(picture.width, picture.height)
  const strong = Float64Array.from({ length: 256 }, (_, value) => 255 * (value / 255) ** 0.85)
  // Each wave is sin(a + b), with one angle for the column and one for the row.
  const fine = [waveParts(picture.width, 0.83, phase), waveParts(picture.height, 0.12, 0)] as const
  const coarse = [waveParts(picture.width, -0.07, phase), waveParts(picture.height, 0.71, 0)] as const
  for (let y = 0, at = 0; y < screen.height; y++)
    for (let x = 0; x < screen.width; x++, at += 3) {
      const moire = 1 + 0.07 * waveAt(fine, x, y) + 0.05 * waveAt(coarse, x, y)
      for (let c = 0; c < 3; c++) screen.rgb[at + c] = (strong[picture.rgb[at + c] ?? 0] ?? 0) * moire
    }
  return screen
}

interface WaveParts {
  readonly sin: Float64Array
  readonly cos: Float64Array
}

function waveParts(length: number, step: number, phase: number): WaveParts {
  return {
    sin: Float64Array.from({ length }, (_, i) => Math.sin(i * step + phase)),
    cos: Float64Array.from({ length }, (_, i) => Math.cos(i * step + phase)),
  }
}

function waveAt([across, down]: readonly [WaveParts, WaveParts], x: number, y: number): number {
  return (across.sin[x] ?? 0) * (down.cos[y] ?? 0) + (across.cos[x] ?? 0) * (down.sin[y] ?? 0)
}

/** How the sheet or the screen is held. `bent` is how far its sides bend away, 0 for flat. */
export interface Held {
  readonly pose: HeadPose
  readonly bent: number
  /** What is seen around the sheet. */
  readonly border: readonly [number, number, number]
}

const CAMERA = 1.6

/**
 * A flat or bent sheet seen by the camera. The hand that holds it can turn it, tilt it and bring it closer. For each
 * pixel, the point where its ray meets the sheet is solved for a plane, then corrected for the bend.
 */
export function seenSheet(sheet: Bitmap, { pose, bent, border }: Held): Bitmap {
  const into = blankBitmap(WIDTH, HEIGHT)
  Buffer.from(into.rgb.buffer).fill(Uint8Array.from(border))
  const [sy, cy] = [Math.sin((pose.yaw * Math.PI) / 180), Math.cos((pose.yaw * Math.PI) / 180)]
  const [sp, cp] = [Math.sin((pose.pitch * Math.PI) / 180), Math.cos((pose.pitch * Math.PI) / 180)]
  const size = 0.86 * pose.size
  const [across, down, near] = [1 / (cy * size), 1 / (cp * size), 1 / CAMERA]
  // No objects for positions: there are 300,000 in each picture.
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    const py = (y - HEIGHT / 2) / WIDTH - pose.dy / WIDTH
    for (let x = 0; x < WIDTH; x++, at += 3) {
      const px = (x - WIDTH / 2) / WIDTH - pose.dx / WIDTH
      let u = px
      let v = py
      for (let i = 0; i < 4; i++) {
        // Depth of the sheet at the last guess, from its turn, tilt and bend.
        const z = u * size * sy - v * size * sp + bent * u * u
        const far = 1 + z * near
        u = (px * far - bent * u * u * sy) * across
        v = py * far * down
      }
      const left = (u + 0.5) * WIDTH
      const top = v * WIDTH + HEIGHT / 2
      if (left < 0 || top < 0 || left > WIDTH - 1 || top > HEIGHT - 1) continue
      samplePixel(sheet, left, top, into.rgb, at)
    }
  }
  return into
}

/** The pose of a photo that a person waves to follow a step. */
export function wavedPose(pose: HeadPose, random: number): HeadPose {
  return {
    ...pose,
    yaw: pose.yaw * 1.25,
    pitch: pose.pitch * 1.3,
    dx: pose.dx * 3 + eased(random) * 4,
    mouth: 0,
    blink: 0,
  }
}
