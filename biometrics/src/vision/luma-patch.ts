import type { Picture, Point } from './picture.ts'

/** Returns a square of brightness at the picture's own resolution, moved inside if it would extend beyond the edge. */
export function lumaPatch(picture: Picture, at: Point, size: number): Float32Array {
  const left = within(Math.round(at.x - size / 2), picture.width - size)
  const top = within(Math.round(at.y - size / 2), picture.height - size)
  const out = new Float32Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      out[row * size + column] = lumaAt(picture, left + column, top + row)
    }
  }
  return out
}

/** Returns the brightness, 0 to 255; 0 outside the picture. */
export function lumaAt({ width, height, rgb }: Picture, x: number, y: number): number {
  if (x < 0 || y < 0 || x >= width || y >= height) return 0
  const i = (y * width + x) * 3
  return 0.299 * (rgb[i] ?? 0) + 0.587 * (rgb[i + 1] ?? 0) + 0.114 * (rgb[i + 2] ?? 0)
}

/** Returns the mean absolute Laplacian, which is high for a sharp picture. */
export function sharpnessOf(patch: Float32Array, size: number): number {
  let sum = 0
  for (let row = 1; row < size - 1; row++) {
    for (let column = 1; column < size - 1; column++) {
      const i = row * size + column
      const around =
        (patch[i - 1] ?? 0) + (patch[i + 1] ?? 0) + (patch[i - size] ?? 0) + (patch[i + size] ?? 0)
      sum += Math.abs(4 * (patch[i] ?? 0) - around)
    }
  }
  return sum / (size - 2) ** 2
}

function within(value: number, max: number): number {
  return Math.max(0, Math.min(max, value))
}
