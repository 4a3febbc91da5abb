import type { MaximumFlow, Network } from './max-flow.ts'

export interface FlowPath {
  readonly flow: number
  /** From the source to the sink. */
  readonly arcs: readonly number[]
}

/**
 * Splits a flow into paths. Each follows the first arc that still carries something. Cycles, which bring nothing to the
 * sink, are removed.
 */
export function flowPaths(network: Network, flow: MaximumFlow): FlowPath[] {
  const carried = new Carried(network, flow)
  const paths: FlowPath[] = []
  for (let path = carried.takePath(); path !== undefined; path = carried.takePath()) paths.push(path)
  return paths
}

/** The part of a flow that isn't in a path yet. */
class Carried {
  readonly #network: Network
  readonly #left = new Map<number, number>()
  /** The arcs of each node that carry something. */
  readonly #arcs = new Map<number, number[]>()

  constructor(network: Network, flow: MaximumFlow) {
    this.#network = network
    for (let arc = network.arcCount - 1; arc >= 0; arc -= 1) {
      const carried = flow.of(arc)
      if (carried === 0) continue
      this.#left.set(arc, carried)
      const tail = network.tails[arc] ?? 0
      const others = this.#arcs.get(tail)
      if (others === undefined) this.#arcs.set(tail, [arc])
      else others.push(arc)
    }
  }

  takePath(): FlowPath | undefined {
    const { source, sink } = this.#network
    const way: number[] = []
    /** The position of each node on the way. */
    const places = new Map([[source, 0]])
    for (let node = source; node !== sink; ) {
      const arc = this.#nextArc(node)
      if (arc === undefined) return undefined
      way.push(arc)
      node = this.#headOf(arc)
      const place = places.get(node)
      if (place === undefined) places.set(node, way.length)
      else {
        const circle = way.splice(place)
        this.#take(circle)
        for (const walked of circle) places.delete(this.#headOf(walked))
        places.set(node, place)
      }
    }
    return { flow: this.#take(way), arcs: way }
  }

  #headOf(arc: number): number {
    return this.#network.heads[arc] ?? 0
  }

  #nextArc(node: number): number | undefined {
    const arcs = this.#arcs.get(node) ?? []
    while (arcs.length > 0 && !this.#left.has(arcs.at(-1) ?? 0)) arcs.pop()
    return arcs.at(-1)
  }

  #take(way: readonly number[]): number {
    const flow = Math.min(...way.map((arc) => this.#left.get(arc) ?? 0))
    for (const arc of way) {
      const left = (this.#left.get(arc) ?? 0) - flow
      if (left === 0) this.#left.delete(arc)
      else this.#left.set(arc, left)
    }
    return flow
  }
}
