import type { Picture, Point } from './picture.ts'

/** Maps a pixel of a patch to a place in a picture: x' = a x - b y + x0, y' = b x + a y + y0. */
export interface Similarity {
  readonly a: number
  readonly b: number
  readonly x0: number
  readonly y0: number
}

/** How a net expects its pixels: `value * scale + offset`, interleaved or in planes. */
export interface PixelForm {
  readonly scale: number
  readonly offset: number
  readonly planes: boolean
}

/**
 * Returns the map of a square patch of `size` pixels that shows `span` pixels around `at`, rotated by `angle` radians.
 */
export function turnedSquare(at: Point, span: number, angle: number, size: number): Similarity {
  const a = (Math.cos(angle) * span) / size
  const b = (Math.sin(angle) * span) / size
  const half = (size - 1) / 2
  return { a, b, x0: at.x - a * half + b * half, y0: at.y - b * half - a * half }
}

export function place(map: Similarity, { x, y }: Point): Point {
  return { x: map.a * x - map.b * y + map.x0, y: map.b * x + map.a * y + map.y0 }
}

/** Returns the patch as floats, with bilinear interpolation. Anything outside the picture is black. */
export function samplePatch(picture: Picture, map: Similarity, size: number, form: PixelForm): Float32Array {
  const out = new Float32Array(size * size * 3)
  const { width, height, rgb } = picture
  const { scale, offset } = form
  const step = form.planes ? 1 : 3
  const next = form.planes ? size * size : 1
  out.fill(offset)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const x = map.a * column - map.b * row + map.x0
      const y = map.b * column + map.a * row + map.y0
      if (!(x >= 0 && y >= 0 && x < width - 1 && y < height - 1)) continue
      const left = x | 0
      const top = y | 0
      const fx = x - left
      const fy = y - top
      const at = (top * width + left) * 3
      const below = at + width * 3
      const to = (row * size + column) * step
      for (let c = 0; c < 3; c++) {
        // Within the picture by the test above, so every index exists.
        const upper = (rgb[at + c] as number) * (1 - fx) + (rgb[at + 3 + c] as number) * fx
        const lower = (rgb[below + c] as number) * (1 - fx) + (rgb[below + 3 + c] as number) * fx
        out[to + c * next] = (upper * (1 - fy) + lower * fy) * scale + offset
      }
    }
  }
  return out
}
