/** Corners of a triangle, as indexes of points. */
export type Triangle = readonly [number, number, number]

interface Circle {
  readonly x: number
  readonly y: number
  readonly square: number
}

/** The Delaunay triangles of points in a plane (Bowyer and Watson), all with the same orientation. */
export function triangulate(points: readonly (readonly [number, number])[]): Triangle[] {
  const count = points.length
  const all = [...points, [-1e5, -1e5], [1e5, -1e5], [0, 1e5]] as const
  let found: { corners: Triangle; circle: Circle }[] = [withCircle([count, count + 1, count + 2], all)]
  for (let i = 0; i < count; i++) {
    const [x, y] = all[i] ?? [0, 0]
    const hit = found.filter(({ circle }) => (circle.x - x) ** 2 + (circle.y - y) ** 2 < circle.square)
    found = found.filter((one) => !hit.includes(one))
    for (const [a, b] of outline(hit.map(({ corners }) => corners))) found.push(withCircle([a, b, i], all))
  }
  return found
    .map(({ corners }) => corners)
    .filter((corners) => corners.every((corner) => corner < count))
    .map((corners) => (signedArea(corners, points) < 0 ? [corners[0], corners[2], corners[1]] : corners))
}

/** The edges that belong to only one triangle. */
function outline(triangles: readonly Triangle[]): (readonly [number, number])[] {
  const edges = new Map<string, readonly [number, number]>()
  for (const [a, b, c] of triangles)
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      const key = from < to ? `${from} ${to}` : `${to} ${from}`
      if (!edges.delete(key)) edges.set(key, [from, to])
    }
  return [...edges.values()]
}

export function signedArea([a, b, c]: Triangle, points: readonly (readonly [number, number])[]): number {
  const [ax, ay] = points[a] ?? [0, 0]
  const [bx, by] = points[b] ?? [0, 0]
  const [cx, cy] = points[c] ?? [0, 0]
  return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
}

function withCircle(corners: Triangle, points: readonly (readonly [number, number])[]) {
  const [ax, ay] = points[corners[0]] ?? [0, 0]
  const [bx, by] = points[corners[1]] ?? [0, 0]
  const [cx, cy] = points[corners[2]] ?? [0, 0]
  const twice = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by)) || 1e-9
  const [a, b, c] = [ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy]
  const x = (a * (by - cy) + b * (cy - ay) + c * (ay - by)) / twice
  const y = (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / twice
  return { corners, circle: { x, y, square: (ax - x) ** 2 + (ay - y) ** 2 } }
}
