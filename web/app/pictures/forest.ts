import { round } from './scales.ts'

/** Boxes and the arrows between them, such as those of the execution graph. */
interface Forest {
  readonly ids: readonly string[]
  readonly arrows: readonly { readonly from: string; readonly to: string }[]
}

interface ForestSize {
  readonly box: { readonly width: number; readonly height: number }
  readonly gap: { readonly x: number; readonly y: number }
  readonly padding: number
}

export interface ForestLayout {
  /** The middle of each box. */
  readonly middles: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly width: number
  readonly height: number
}

/**
 * Lays out boxes from left to right, each in the row of the first box that it leads to, so that everything begins at
 * the top. The first arrow to a box places it, so that one pass places thousands: nearly every action has one cause.
 */
export function forestLayout({ ids, arrows }: Forest, { box, gap, padding }: ForestSize): ForestLayout {
  const below = childrenOf(ids, arrows)
  const children = new Set([...below.values()].flat())
  const middles = new Map<string, { x: number; y: number }>()
  const xOf = (depth: number) => round(padding + box.width / 2 + depth * (box.width + gap.x))
  let row = 0
  let deepest = 0
  const open = ids
    .filter((id) => !children.has(id))
    .reverse()
    .map((id) => ({ id, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id, depth } = next
    const own = below.get(id) ?? []
    deepest = Math.max(deepest, depth)
    middles.set(id, { x: xOf(depth), y: yOf(row) })
    if (own.length === 0) row += 1
    for (const child of own.toReversed()) open.push({ id: child, depth: depth + 1 })
  }

  function yOf(place: number): number {
    return round(padding + box.height / 2 + place * (box.height + gap.y))
  }

  return {
    middles,
    width: xOf(deepest) + box.width / 2 + padding,
    height: yOf(Math.max(0, row - 1)) + box.height / 2 + padding,
  }
}

/** Maps each box to those that it places. An arrow that would close a cycle places nothing. */
function childrenOf(ids: readonly string[], arrows: Forest['arrows']): Map<string, string[]> {
  const known = new Set(ids)
  const above = new Map<string, string>()
  const below = new Map<string, string[]>()
  for (const { from, to } of arrows) {
    if (above.has(to) || !known.has(from) || !known.has(to) || from === to) continue
    // Only a box that already has boxes below it can be above another one.
    if (below.has(to) && isAbove(to, from, above)) continue
    above.set(to, from)
    const own = below.get(from)
    if (own === undefined) below.set(from, [to])
    else own.push(to)
  }
  return below
}

function isAbove(id: string, start: string, above: ReadonlyMap<string, string>): boolean {
  for (let at: string | undefined = start; at !== undefined; at = above.get(at)) if (at === id) return true
  return false
}
