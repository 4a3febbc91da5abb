import { type FaceMesh, meshPoint } from './face-mesh.ts'
import { CHEEKS, FOREHEAD } from './face-points.ts'
import type { Picture } from './picture.ts'

/** The light on forehead and cheeks. */
export interface SkinLight {
  /** 0 to 255. */
  readonly luma: number
  /** Natural logarithm of red over green. */
  readonly red: number
  /** Natural logarithm of blue over green. */
  readonly blue: number
}

const REACH = 3

export function skinLight(picture: Picture, mesh: FaceMesh): SkinLight {
  const sum = { r: 0, g: 0, b: 0, n: 0 }
  for (const index of [...FOREHEAD, ...CHEEKS]) addPatch(picture, meshPoint(mesh, index), sum)
  const [r, g, b] = [sum.r, sum.g, sum.b].map((total) => (total + 1) / Math.max(1, sum.n))
  if (r === undefined || g === undefined || b === undefined) return { luma: 0, red: 0, blue: 0 }
  return { luma: 0.299 * r + 0.587 * g + 0.114 * b, red: Math.log(r / g), blue: Math.log(b / g) }
}

function addPatch(
  { width, height, rgb }: Picture,
  at: { readonly x: number; readonly y: number },
  sum: { r: number; g: number; b: number; n: number },
): void {
  const [x, y] = [Math.round(at.x), Math.round(at.y)]
  for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row++) {
    for (let column = Math.max(0, x - REACH); column <= Math.min(width - 1, x + REACH); column++) {
      const i = (row * width + column) * 3
      sum.r += rgb[i] ?? 0
      sum.g += rgb[i + 1] ?? 0
      sum.b += rgb[i + 2] ?? 0
      sum.n += 1
    }
  }
}
