import type { Bitmap } from './bitmap.ts'
import { LOWER_LIP, UPPER_LIP } from './face-points.ts'
import { type Figure, type FigureTriangle, HEIGHT, type Point3, WIDTH } from './figure.ts'
import { type HeadPose, posed } from './head-pose.ts'

/** Light that falls on the face: how much red, green and blue is added, as a share of what is there. */
export type Light = readonly [number, number, number]

export const NO_LIGHT: Light = [0, 0, 0]

/** Draws a figure in a pose. Far triangles are drawn first; those that face away are left out. */
export function render(figure: Figure, pose: HeadPose, light: Light = NO_LIGHT): Bitmap {
  const picture = { ...figure.texture, rgb: figure.texture.rgb.slice() }
  const seen = posed(figure, pose)
  const dark = Math.min(1, pose.mouth * 3)
  // What didn't move is already drawn.
  const moved = figure.triangles.filter(({ corners }) =>
    corners.some((corner) => seen[corner] !== figure.points[corner]),
  )
  for (const triangle of fromFarToNear(moved, seen)) {
    if (triangle.part === 'mouth') {
      drawTriangle(picture, figure, seen, triangle, { light: NO_LIGHT, dark })
      drawTeeth(picture, seen, triangle, wideness(pose))
    } else drawTriangle(picture, figure, seen, triangle, { light: lightOn(triangle.part, light), dark: 0 })
  }
  return picture
}

const REACHES = { face: 1, hair: 0.5, room: 0, mouth: 0 }

function lightOn(part: FigureTriangle['part'], [red, green, blue]: Light): Light {
  const reach = REACHES[part]
  return [red * reach, green * reach, blue * reach]
}

const LAYERS = { room: 0, hair: 1, mouth: 2, face: 2 }

function fromFarToNear(triangles: readonly FigureTriangle[], seen: readonly Point3[]): FigureTriangle[] {
  const depth = ({ corners: [a, b, c], part }: FigureTriangle) =>
    (seen[a]?.[2] ?? 0) + (seen[b]?.[2] ?? 0) + (seen[c]?.[2] ?? 0) - LAYERS[part] * 1e6
  return triangles
    .map((triangle) => ({ triangle, z: depth(triangle) }))
    .sort((one, other) => other.z - one.z)
    .map(({ triangle }) => triangle)
}

interface Paint {
  readonly light: Light
  /** How much of the picture is hidden in the dark of the mouth. */
  readonly dark: number
}

/** The inside of a mouth: a dark red. */
const INSIDE = [38, 14, 16] as const

function drawTriangle(
  picture: Bitmap,
  { texture, points }: Figure,
  seen: readonly Point3[],
  { corners: [a, b, c] }: FigureTriangle,
  { light, dark }: Paint,
): void {
  const [A, B, C] = [seen[a], seen[b], seen[c]]
  const [U, V, W] = [points[a], points[b], points[c]]
  if (!A || !B || !C || !U || !V || !W) return
  const area = (B[0] - A[0]) * (C[1] - A[1]) - (C[0] - A[0]) * (B[1] - A[1])
  if (area < 0.01) return
  const top = Math.max(0, Math.ceil(Math.min(A[1], B[1], C[1]) - 0.5))
  const bottom = Math.min(HEIGHT - 1, Math.floor(Math.max(A[1], B[1], C[1]) + 0.5))
  // The place in the texture is linear in x and y.
  const ux = ((V[0] - U[0]) * (C[1] - A[1]) - (W[0] - U[0]) * (B[1] - A[1])) / area
  const uy = ((W[0] - U[0]) * (B[0] - A[0]) - (V[0] - U[0]) * (C[0] - A[0])) / area
  const vx = ((V[1] - U[1]) * (C[1] - A[1]) - (W[1] - U[1]) * (B[1] - A[1])) / area
  const vy = ((W[1] - U[1]) * (B[0] - A[0]) - (V[1] - U[1]) * (C[0] - A[0])) / area
  const keep = 1 - dark
  const [gr, gg, gb] = [(1 + light[0]) * keep, (1 + light[1]) * keep, (1 + light[2]) * keep]
  const [ir, ig, ib] = [INSIDE[0] * dark, INSIDE[1] * dark, INSIDE[2] * dark]
  const { rgb } = picture
  const from = texture.rgb
  for (let y = top; y <= bottom; y++) {
    const [start, end] = span(A, B, C, y)
    let u = U[0] + ux * (start - A[0]) + uy * (y - A[1])
    let v = U[1] + vx * (start - A[0]) + vy * (y - A[1])
    for (let x = start, at = (y * WIDTH + start) * 3; x <= end; x++, at += 3, u += ux, v += vx) {
      const uc = u < 0 ? 0 : u > WIDTH - 1.01 ? WIDTH - 1.01 : u
      const vc = v < 0 ? 0 : v > HEIGHT - 1.01 ? HEIGHT - 1.01 : v
      const left = uc | 0
      const above = vc | 0
      const right = uc - left
      const below = vc - above
      const p = (above * WIDTH + left) * 3
      const q = p + WIDTH * 3
      const w11 = right * below
      const w10 = right - w11
      const w01 = below - w11
      const w00 = 1 - right - w01
      rgb[at] =
        ((from[p] ?? 0) * w00 + (from[p + 3] ?? 0) * w10 + (from[q] ?? 0) * w01 + (from[q + 3] ?? 0) * w11) *
          gr +
        ir
      rgb[at + 1] =
        ((from[p + 1] ?? 0) * w00 +
          (from[p + 4] ?? 0) * w10 +
          (from[q + 1] ?? 0) * w01 +
          (from[q + 4] ?? 0) * w11) *
          gg +
        ig
      rgb[at + 2] =
        ((from[p + 2] ?? 0) * w00 +
          (from[p + 5] ?? 0) * w10 +
          (from[q + 2] ?? 0) * w01 +
          (from[q + 5] ?? 0) * w11) *
          gb +
        ib
    }
  }
}

/** Mouths don't open wider than this in speech. */
const SPEAKING = 0.55
const wideness = ({ mouth }: HeadPose) => Math.min(1, Math.max(0, (mouth - SPEAKING) * 3))

const TEETH = [196, 186, 172] as const
const TONGUE = [128, 62, 62] as const

/** How far down in the mouth a point is: 0 at the upper lip, 1 at the lower one. */
function depthInMouth(corner: number): number {
  if (UPPER_LIP[3]?.includes(corner)) return 0
  return LOWER_LIP[3]?.includes(corner) ? 1 : 0.5
}

/** Draws the upper teeth and the tongue of a wide open mouth. Nets don't recognise a plain hole as a mouth. */
function drawTeeth(
  { rgb }: Bitmap,
  seen: readonly Point3[],
  { corners: [a, b, c] }: FigureTriangle,
  wide: number,
): void {
  const [A, B, C] = [seen[a], seen[b], seen[c]]
  if (!A || !B || !C) return
  const area = (B[0] - A[0]) * (C[1] - A[1]) - (C[0] - A[0]) * (B[1] - A[1])
  if (wide === 0 || area < 0.01) return
  const [da, db, dc] = [depthInMouth(a), depthInMouth(b), depthInMouth(c)]
  const dx = ((db - da) * (C[1] - A[1]) - (dc - da) * (B[1] - A[1])) / area
  const dy = ((dc - da) * (B[0] - A[0]) - (db - da) * (C[0] - A[0])) / area
  const top = Math.max(0, Math.ceil(Math.min(A[1], B[1], C[1]) - 0.5))
  const bottom = Math.min(HEIGHT - 1, Math.floor(Math.max(A[1], B[1], C[1]) + 0.5))
  for (let y = top; y <= bottom; y++) {
    const [start, end] = span(A, B, C, y)
    for (let x = start; x <= end; x++)
      paintMouth(rgb, (y * WIDTH + x) * 3, da + dx * (x - A[0]) + dy * (y - A[1]), wide)
  }
}

function paintMouth(rgb: Uint8ClampedArray, at: number, down: number, wide: number): void {
  const [paint, much] = down < 0.5 ? [TEETH, (0.28 - down) * 8] : [TONGUE, (down - 0.6) * 3]
  const part = wide * Math.min(1, Math.max(0, much))
  for (const [c, value] of paint.entries()) rgb[at + c] = (rgb[at + c] ?? 0) * (1 - part) + value * part
}

/** The first and last pixel of a triangle in a row, slightly wider than the triangle so that no seams show. */
function span(A: Point3, B: Point3, C: Point3, y: number): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  const cross = (P: Point3, Q: Point3) => {
    const [upper, lower] = P[1] < Q[1] ? [P, Q] : [Q, P]
    if (y < upper[1] - 0.5 || y > lower[1] + 0.5) return
    const part = lower[1] === upper[1] ? 0 : Math.min(1, Math.max(0, (y - upper[1]) / (lower[1] - upper[1])))
    const x = upper[0] + part * (lower[0] - upper[0])
    if (x < low) low = x
    if (x > high) high = x
  }
  cross(A, B)
  cross(B, C)
  cross(C, A)
  return [Math.max(0, Math.ceil(low - 0.5)), Math.min(WIDTH - 1, Math.floor(high + 0.5))]
}
