import type { Gesture } from '@deputize/biometrics'
import { type Bitmap, blankBitmap, channel } from './bitmap.ts'
import { readGif } from './gif.ts'

/** A hand cut out of its picture. */
export interface PuppetHand {
  readonly picture: Bitmap
  /** How much of the hand is in each pixel, 0 to 1. */
  readonly cover: Float32Array
}

/** Files from the package fingerpose 0.1.0. */
export interface HandFiles {
  readonly gif: Buffer
  readonly pointing: Bitmap
}

/** A hand for every gesture. There is no photo of an open hand, so that one is drawn. */
export function cutHands({ gif, pointing }: HandFiles): Record<Gesture, PuppetHand> {
  const frames = readGif(gif)
  const frame = (index: number, left: number) => cropped(frames[index] ?? pointing, left, 60, 320 - left, 180)
  return {
    victory: cutOut(frame(34, 168)),
    thumbs_up: cutOut(frame(36, 190)),
    point_up: cutOut(pointing),
    open_palm: drawnPalm(),
  }
}

function cropped(from: Bitmap, left: number, top: number, width: number, height: number): Bitmap {
  const into = blankBitmap(width, height)
  for (let y = 0; y < height; y++) {
    const start = ((top + y) * from.width + left) * 3
    into.rgb.set(from.rgb.subarray(start, start + width * 3), y * width * 3)
  }
  return into
}

/** Cuts out the hand. Skin is redder than the walls behind it, and the largest connected part is the hand. */
function cutOut(picture: Bitmap): PuppetHand {
  const { width, height, rgb } = picture
  const isSkin = new Uint8Array(width * height)
  for (let i = 0; i < isSkin.length; i++) {
    const [r, g, b] = [channel(rgb, i * 3), channel(rgb, i * 3 + 1), channel(rgb, i * 3 + 2)]
    const redness = (r - b) / (r + g + b + 1)
    isSkin[i] = redness > 0.15 && r > 40 ? 1 : 0
  }
  return { picture, cover: softened(filled(largest(isSkin, width), width), width) }
}

function largest(mask: Uint8Array, width: number): Uint8Array {
  const label = new Int32Array(mask.length)
  let best = { label: 0, size: 0 }
  for (let start = 0, next = 1; start < mask.length; start++) {
    if (mask[start] !== 1 || label[start] !== 0) continue
    const size = flood(mask, label, start, next, width)
    if (size > best.size) best = { label: next, size }
    next++
  }
  return Uint8Array.from(label, (one) => (one === best.label ? 1 : 0))
}

/** Holes that do not touch the edge belong to the hand. */
function filled(mask: Uint8Array, width: number): Uint8Array {
  const outside = new Int32Array(mask.length)
  const inverse = mask.map((one) => 1 - one)
  const height = mask.length / width
  for (let x = 0; x < width; x++) for (const y of [0, height - 1]) floodFrom(y * width + x)
  for (let y = 0; y < height; y++) for (const x of [0, width - 1]) floodFrom(y * width + x)
  function floodFrom(start: number) {
    if (inverse[start] === 1 && outside[start] === 0) flood(inverse, outside, start, 1, width)
  }
  return Uint8Array.from(outside, (one) => 1 - one)
}

function flood(mask: Uint8Array, label: Int32Array, start: number, name: number, width: number): number {
  const open = [start]
  label[start] = name
  let size = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    size++
    const x = at % width
    for (const to of [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width])
      if (to >= 0 && mask[to] === 1 && label[to] === 0) {
        label[to] = name
        open.push(to)
      }
  }
  return size
}

function softened(mask: Uint8Array, width: number): Float32Array {
  return Float32Array.from(mask, (_, i) => {
    let sum = 0
    for (const dy of [-width, 0, width]) for (const dx of [-1, 0, 1]) sum += mask[i + dy + dx] ?? 0
    return sum / 9
  })
}

/** Draws a hand with its top left corner at a place, `scale` times as large. */
export function holdUp(
  into: Bitmap,
  { picture, cover }: PuppetHand,
  at: { left: number; top: number; scale: number },
): void {
  const { width, height } = picture
  for (
    let y = Math.max(0, Math.ceil(at.top));
    y < Math.min(into.height, at.top + (height - 1) * at.scale);
    y++
  )
    for (
      let x = Math.max(0, Math.ceil(at.left));
      x < Math.min(into.width, at.left + (width - 1) * at.scale);
      x++
    )
      mixPixel(
        into,
        (y * into.width + x) * 3,
        picture,
        cover,
        (x - at.left) / at.scale,
        (y - at.top) / at.scale,
      )
}

function mixPixel(into: Bitmap, at: number, from: Bitmap, cover: Float32Array, x: number, y: number): void {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [right, below] = [x - left, y - top]
  const weights = [(1 - right) * (1 - below), right * (1 - below), (1 - right) * below, right * below]
  const first = top * from.width + left
  const places = [first, first + 1, first + from.width, first + from.width + 1]
  let total = 0
  const sum = [0, 0, 0]
  places.forEach((place, i) => {
    const weight = (weights[i] ?? 0) * (cover[place] ?? 0)
    total += weight
    for (let c = 0; c < 3; c++) sum[c] = (sum[c] ?? 0) + weight * channel(from.rgb, place * 3 + c)
  })
  if (total <= 0) return
  for (let c = 0; c < 3; c++) into.rgb[at + c] = channel(into.rgb, at + c) * (1 - total) + (sum[c] ?? 0)
}

/** A drawn open hand: a palm and five fingers in the colours of skin, shaded to look round. */
function drawnPalm(): PuppetHand {
  const [width, height] = [300, 400]
  const picture = blankBitmap(width, height)
  const cover = new Float32Array(width * height)
  const bones: readonly Bone[] = [
    { from: [150, 400], to: [150, 300], wide: [44, 46] },
    { from: [128, 300], to: [118, 215], wide: [46, 36] },
    { from: [170, 300], to: [182, 220], wide: [46, 34] },
    { from: [150, 290], to: [150, 210], wide: [44, 40] },
    { from: [103, 228], to: [101, 78], wide: [16, 11.5] },
    { from: [136, 218], to: [135, 48], wide: [17, 11.5] },
    { from: [168, 220], to: [169, 63], wide: [16, 10.5] },
    { from: [198, 234], to: [200, 107], wide: [13, 9] },
    { from: [112, 300], to: [60, 245], wide: [26, 19] },
    { from: [60, 245], to: [22, 200], wide: [19, 14] },
  ]
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) shadePixel(picture, cover, bones, x, y)
  return { picture, cover }
}

interface Bone {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  /** Half the width at both ends. */
  readonly wide: readonly [number, number]
}

function shadePixel(
  picture: Bitmap,
  cover: Float32Array,
  bones: readonly Bone[],
  x: number,
  y: number,
): void {
  const at = y * picture.width + x
  let near = 0
  let light = 0
  for (const bone of bones) {
    const inside = depthIn(bone, x, y)
    if (inside <= 0) continue
    near = Math.max(near, Math.min(1, inside * 8))
    // Shaded like a rod: darker towards its edges.
    light = Math.max(light, Math.sqrt(Math.min(1, inside * 1.6)))
  }
  cover[at] = near
  const shade = 0.56 + 0.3 * light
  for (const [c, part] of [222, 172, 146].entries()) picture.rgb[at * 3 + c] = part * shade
}

/** 1 on the middle line of a bone, 0 at its edge. */
function depthIn({ from, to, wide }: Bone, x: number, y: number): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const along = Math.max(0, Math.min(1, ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy)))
  const half = wide[0] + (wide[1] - wide[0]) * along
  return 1 - Math.hypot(x - from[0] - dx * along, y - from[1] - dy * along) / half
}
