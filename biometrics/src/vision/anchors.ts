/** A grid of places that a detector examines: `cells` by `cells`, with `each` anchors per cell. */
export interface AnchorGrid {
  readonly cells: number
  readonly each: number
}

/** Returns the centres of all anchors, in order, as x and y between 0 and 1. */
export function anchorsOf(grids: readonly AnchorGrid[]): Float32Array {
  return Float32Array.from(grids.flatMap(({ cells, each }) => gridPlaces(cells, each)))
}

function gridPlaces(cells: number, each: number): number[] {
  return Array.from({ length: cells * cells }, (_, cell) => {
    const place = [((cell % cells) + 0.5) / cells, (Math.floor(cell / cells) + 0.5) / cells]
    return Array.from({ length: each }, () => place).flat()
  }).flat()
}
