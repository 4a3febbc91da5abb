import { eased } from './acting.ts'
import { type Bitmap, blankBitmap, resample } from './bitmap.ts'
import { HEIGHT, WIDTH } from './figure.ts'
import type { HeadPose } from './head-pose.ts'
import { gaussian, type Random } from './random.ts'

/** What stands between a scene and the file: a print, a screen, a dark room, and the noise of the sensor. */

const NOISE_LENGTH = 1 << 16

/** Adds the noise of a sensor. */
export function sensorNoise(random: Random, sigma: number): (picture: Bitmap) => void {
  const noise = Int8Array.from({ length: NOISE_LENGTH }, () => Math.round(gaussian(random) * sigma))
  return ({ rgb }) => {
    let at = Math.floor(random() * NOISE_LENGTH)
    for (let i = 0; i < rgb.length; i++) {
      if ((i & 4095) === 0) at = Math.floor(random() * NOISE_LENGTH)
      rgb[i] = (rgb[i] ?? 0) + (noise[(at + i) & (NOISE_LENGTH - 1)] ?? 0)
    }
  }
}

export function darkened(picture: Bitmap, part: number): void {
  for (let i = 0; i < picture.rgb.length; i++) picture.rgb[i] = (picture.rgb[i] ?? 0) * part
}

/** A print: dots of ink on paper that is a little yellow. */
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

/** A screen that shows a picture: its pixels beat with those of the camera, and its colours are too strong. */
export function onScreen(picture: Bitmap, phase: number): Bitmap {
  const screen = blankBitmap(picture.width, picture.height)
  const strong = Float64Array.from({ length: 256 }, (_, value) => 255 * (value / 255) ** 0.85)
  for (let y = 0; y < screen.height; y++)
    for (let x = 0; x < screen.width; x++) {
      const moire =
        1 + 0.07 * Math.sin(x * 0.83 + y * 0.12 + phase) + 0.05 * Math.sin(y * 0.71 - x * 0.07 + phase)
      const at = (y * screen.width + x) * 3
      for (let c = 0; c < 3; c++) screen.rgb[at + c] = (strong[picture.rgb[at + c] ?? 0] ?? 0) * moire
    }
  return screen
}

/** How the sheet or the screen is held. `bent` is how far its sides bend away, 0 for flat. */
export interface Held {
  readonly pose: HeadPose
  readonly bent: number
  /** What is seen around the sheet. */
  readonly border: readonly [number, number, number]
}

/** A flat or bent sheet seen by the camera. The hand that holds it can turn it, tilt it and bring it closer. */
export function seenSheet(sheet: Bitmap, { pose, bent, border }: Held): Bitmap {
  const into = blankBitmap(WIDTH, HEIGHT)
  Buffer.from(into.rgb.buffer).fill(Uint8Array.from(border))
  const toSheet = sheetPlace(pose, bent)
  resample(sheet, into, (x, y) => {
    const [u, v] = toSheet((x - WIDTH / 2) / WIDTH, (y - HEIGHT / 2) / WIDTH)
    const [px, py] = [(u + 0.5) * WIDTH, v * WIDTH + HEIGHT / 2]
    return px < 0 || py < 0 || px > WIDTH - 1 || py > HEIGHT - 1 ? undefined : [px, py]
  })
  return into
}

const CAMERA = 1.6

/** The ray through a pixel meets the sheet: solved for a plane, then twice corrected for its bend. */
function sheetPlace(pose: HeadPose, bent: number): (x: number, y: number) => readonly [number, number] {
  const [sy, cy] = [Math.sin((pose.yaw * Math.PI) / 180), Math.cos((pose.yaw * Math.PI) / 180)]
  const [sp, cp] = [Math.sin((pose.pitch * Math.PI) / 180), Math.cos((pose.pitch * Math.PI) / 180)]
  const size = 0.86 * pose.size
  const [across, down, near] = [1 / (cy * size), 1 / (cp * size), 1 / CAMERA]
  return (x, y) => {
    const [px, py] = [x - pose.dx / WIDTH, y - pose.dy / WIDTH]
    let [u, v] = [px, py]
    for (let i = 0; i < 4; i++) {
      // Depth of the sheet where the last guess was: its turn, its tilt and its bend.
      const z = u * size * sy - v * size * sp + bent * u * u
      const far = 1 + z * near
      u = (px * far - bent * u * u * sy) * across
      v = py * far * down
    }
    return [u, v]
  }
}

/** How somebody waves a photo to follow what is asked. */
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
