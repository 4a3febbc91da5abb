/** An image in memory: three bytes per pixel, rows from the top. */
export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8ClampedArray
}

export function blankBitmap(width: number, height: number): Bitmap {
  return { width, height, rgb: new Uint8ClampedArray(width * height * 3) }
}

/** Writes the colour at a place between pixels, mixed from its four neighbours. */
export function samplePixel(from: Bitmap, x: number, y: number, out: Uint8ClampedArray, at: number): void {
  const left = Math.min(from.width - 2, Math.max(0, Math.floor(x)))
  const top = Math.min(from.height - 2, Math.max(0, Math.floor(y)))
  const right = Math.min(1, Math.max(0, x - left))
  const below = Math.min(1, Math.max(0, y - top))
  const leftward = 1 - right
  const above = 1 - below
  const { rgb } = from
  let first = (top * from.width + left) * 3
  let second = first + from.width * 3
  for (let c = 0; c < 3; c++, first++, second++) {
    const upper = channel(rgb, first) * leftward + channel(rgb, first + 3) * right
    const lower = channel(rgb, second) * leftward + channel(rgb, second + 3) * right
    out[at + c] = upper * above + lower * below
  }
}

export function channel(rgb: Uint8ClampedArray, at: number): number {
  return rgb[at] ?? 0
}
