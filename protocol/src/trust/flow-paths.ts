import type { FlowNetwork } from './max-flow.ts'

export interface FlowPath {
  readonly flow: number
  /** From the source to the sink. */
  readonly arcs: readonly number[]
}

/**
 * Splits a flow into paths. Each takes the first arc that still carries something; circles, which bring nothing to the
 * sink, are removed on the way.
 */
export function flowPaths(network: FlowNetwork): FlowPath[] {
  const carried = new Carried(network)
  const paths: FlowPath[] = []
  for (let path = carried.takePath(); path !== undefined; path = carried.takePath()) paths.push(path)
  return paths
}

/** What of a flow is not yet part of a path. */
class Carried {
  readonly #network: FlowNetwork
  readonly #left = new Map<number, number>()
  readonly #cursors: Int32Array

  constructor(network: FlowNetwork) {
    this.#network = network
    this.#cursors = new Int32Array(network.size)
  }

  takePath(): FlowPath | undefined {
    const { source, sink } = this.#network
    const way: number[] = []
    /** Where each node is on the way. */
    const places = new Map([[source, 0]])
    for (let node: number = source; node !== sink; ) {
      const arc = this.#nextArc(node)
      if (arc === undefined) return undefined
      way.push(arc)
      node = this.#network.headOf(arc)
      const place = places.get(node)
      if (place === undefined) places.set(node, way.length)
      else {
        const circle = way.splice(place)
        this.#take(circle)
        for (const walked of circle) places.delete(this.#network.headOf(walked))
        places.set(node, place)
      }
    }
    return { flow: this.#take(way), arcs: way }
  }

  #leftOf(arc: number): number {
    return this.#left.get(arc) ?? this.#network.flowOf(arc)
  }

  #nextArc(node: number): number | undefined {
    const arcs = this.#network.arcsFrom(node)
    for (let place = this.#cursors[node] ?? 0; place < arcs.length; place += 1) {
      const arc = arcs[place] ?? 0
      // Odd arcs lead back.
      if (arc % 2 === 1 || this.#leftOf(arc) === 0) continue
      this.#cursors[node] = place
      return arc
    }
    return undefined
  }

  #take(way: readonly number[]): number {
    const flow = Math.min(...way.map((arc) => this.#leftOf(arc)))
    for (const arc of way) this.#left.set(arc, this.#leftOf(arc) - flow)
    return flow
  }
}
