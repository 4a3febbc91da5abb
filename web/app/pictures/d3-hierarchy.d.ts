/** The part of d3-hierarchy that is used here. */
declare module 'd3-hierarchy' {
  export interface HierarchyNode<T> {
    readonly data: T
    readonly parent: HierarchyNode<T> | null
    readonly depth: number
    x: number
    y: number
    descendants(): HierarchyNode<T>[]
  }
  export function stratify<T>(): {
    id(of: (one: T) => string): {
      parentId(of: (one: T) => string | undefined): (all: readonly T[]) => HierarchyNode<T>
    }
  }
  export function tree<T>(): {
    nodeSize(size: readonly [number, number]): (root: HierarchyNode<T>) => HierarchyNode<T>
  }
}
