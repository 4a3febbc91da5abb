import { middle, type Point } from './picture.ts'
import type { Similarity } from './sample.ts'

/** Returns the similarity that best maps `from` to `to`, by least squares. */
export function fitSimilarity(from: readonly Point[], to: readonly Point[]): Similarity {
  const f = middle(from)
  const t = middle(to)
  let dot = 0
  let cross = 0
  let spread = 0
  from.forEach((point, i) => {
    const [x, y] = [point.x - f.x, point.y - f.y]
    const [u, v] = [(to[i]?.x ?? 0) - t.x, (to[i]?.y ?? 0) - t.y]
    dot += x * u + y * v
    cross += x * v - y * u
    spread += x * x + y * y
  })
  const a = dot / spread
  const b = cross / spread
  return { a, b, x0: t.x - a * f.x + b * f.y, y0: t.y - b * f.x - a * f.y }
}

/** The eight numbers of a homography; the ninth is 1. */
export type Homography = readonly number[]

/** Returns the homography that best maps `from` to `to`, or undefined if the points are on a line. */
export function fitHomography(from: readonly Point[], to: readonly Point[]): Homography | undefined {
  const rows = from.flatMap(({ x, y }, i) => {
    const { x: u, y: v } = to[i] ?? { x: 0, y: 0 }
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ]
  })
  const normal = Array.from({ length: 8 }, (_, i) =>
    Array.from({ length: 9 }, (_, j) => rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0)),
  )
  return solve(normal)
}

export function project(h: Homography, { x, y }: Point): Point {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, k = 0] = h
  const w = g * x + k * y + 1
  return { x: (a * x + b * y + c) / w, y: (d * x + e * y + f) / w }
}

/** Solves by Gaussian elimination with pivoting. Each row ends with its right-hand side. */
function solve(rows: number[][]): number[] | undefined {
  const size = rows.length
  for (let column = 0; column < size; column++) {
    const pivot = rows
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best))
    const head = pivot[column] ?? 0
    if (Math.abs(head) < 1e-12) return undefined
    rows.splice(rows.indexOf(pivot), 1)
    rows.splice(column, 0, pivot)
    rows.forEach((row, i) => {
      if (i === column) return
      const factor = (row[column] ?? 0) / head
      for (let k = column; k <= size; k++) row[k] = (row[k] ?? 0) - factor * (pivot[k] ?? 0)
    })
  }
  return rows.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1))
}
