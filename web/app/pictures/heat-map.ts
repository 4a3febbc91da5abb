interface Use {
  readonly action: string
  readonly resource: string
  readonly count: number
  readonly denied: number
}

export interface HeatMap {
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly cells: readonly (Use & {
    readonly row: number
    readonly column: number
    readonly strength: number
  })[]
}

/** Actions as rows and resources as columns, the most used first. `strength` goes from 0 to 1, by the square root. */
export function heatMap(uses: readonly Use[]): HeatMap {
  const actions = ranked(uses, ({ action }) => action)
  const resources = ranked(uses, ({ resource }) => resource)
  const most = Math.max(1, ...uses.map(total))
  return {
    actions,
    resources,
    cells: uses.map((use) => ({
      ...use,
      row: actions.indexOf(use.action),
      column: resources.indexOf(use.resource),
      strength: Math.sqrt(total(use) / most),
    })),
  }
}

function total({ count, denied }: Use): number {
  return count + denied
}

function ranked(uses: readonly Use[], nameOf: (use: Use) => string): string[] {
  const sums = new Map<string, number>()
  for (const use of uses) sums.set(nameOf(use), (sums.get(nameOf(use)) ?? 0) + total(use))
  return [...sums].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).map(([name]) => name)
}
