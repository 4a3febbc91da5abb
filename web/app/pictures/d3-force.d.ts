/** The part of d3-force that is used here. */
declare module 'd3-force' {
  export interface SimulationNode {
    x?: number
    y?: number
    fx?: number | null
    fy?: number | null
  }
  type Force = (alpha: number) => void
  export interface Simulation<N extends SimulationNode> {
    force(name: string, force: Force): Simulation<N>
    stop(): Simulation<N>
    tick(times: number): Simulation<N>
  }
  export function forceSimulation<N extends SimulationNode>(nodes: N[]): Simulation<N>
  export function forceLink<N extends SimulationNode, L extends { source: string | N; target: string | N }>(
    links: L[],
  ): Force & {
    id(of: (node: N) => string): Force & { distance(of: number): Force & { strength(of: number): Force } }
  }
  export function forceManyBody(): Force & { strength(of: number): Force }
  export function forceCollide(radius: number): Force
  export function forceRadial<N extends SimulationNode>(
    radius: (node: N) => number,
  ): Force & { strength(of: number): Force }
}
