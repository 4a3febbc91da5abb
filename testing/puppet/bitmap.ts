/** An image in memory: three bytes a pixel, rows from the top. */
export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8ClampedArray
}

export function blankBitmap(width: number, height: number): Bitmap {
  return { width, height, rgb: new Uint8ClampedArray(width * height * 3) }
}

/** Fills `into` by asking for the place in `from` of every pixel. Places outside keep what is there. */
export function resample(
  from: Bitmap,
  into: Bitmap,
  placeOf: (x: number, y: number) => readonly [number, number] | undefined,
): void {
  for (let y = 0; y < into.height; y++)
    for (let x = 0; x < into.width; x++) {
      const place = placeOf(x, y)
      if (place !== undefined) samplePixel(from, place[0], place[1], into.rgb, (y * into.width + x) * 3)
    }
}

/** Writes the colour at a place between pixels, mixed from its four neighbours. */
export function samplePixel(from: Bitmap, x: number, y: number, out: Uint8ClampedArray, at: number): void {
  const left = Math.min(from.width - 2, Math.max(0, Math.floor(x)))
  const top = Math.min(from.height - 2, Math.max(0, Math.floor(y)))
  const right = Math.min(1, Math.max(0, x - left))
  const below = Math.min(1, Math.max(0, y - top))
  const first = (top * from.width + left) * 3
  const second = first + from.width * 3
  const { rgb } = from
  for (let c = 0; c < 3; c++) {
    const upper = channel(rgb, first + c) * (1 - right) + channel(rgb, first + 3 + c) * right
    const lower = channel(rgb, second + c) * (1 - right) + channel(rgb, second + 3 + c) * right
    out[at + c] = upper * (1 - below) + lower * below
  }
}

export function channel(rgb: Uint8ClampedArray, at: number): number {
  return rgb[at] ?? 0
}
