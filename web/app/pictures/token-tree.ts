/// <reference path="./d3-hierarchy.d.ts" />
import { stratify, tree } from 'd3-hierarchy'
import type { Budget, TokenView } from '../../../sdk/node/src/generated/operations.ts'
import { round } from './scales.ts'

/** The members of a token that are drawn. */
export type TreeNodeToken = Pick<TokenView, 'jti' | 'parent_jti' | 'agent_id' | 'status'> & {
  readonly claims: { readonly svc_scope: { readonly actions: readonly string[] } }
  readonly budget?: Budget
  /** The tightest of its own budget and those above it. */
  readonly tightest?: Budget
}

interface TreeToken {
  readonly jti: string
  readonly parent_jti?: string | undefined
}

export interface TreeLayout<T> {
  readonly nodes: readonly {
    readonly token: T
    readonly x: number
    readonly y: number
    readonly depth: number
  }[]
  readonly links: readonly {
    readonly key: string
    readonly path: string
    readonly top: number
    readonly bottom: number
  }[]
  readonly width: number
  readonly height: number
}

export const TREE_NODE = { width: 200, height: 56 } as const
const GAP = { x: 44, y: 16 } as const

/** Tokens from left to right, each next to the tokens delegated from it. A token whose parent is missing is a root. */
export function tokenTree<T extends TreeToken>(tokens: readonly T[]): TreeLayout<T> {
  if (tokens.length === 0) return { nodes: [], links: [], width: 0, height: 0 }
  const known = new Set(tokens.map(({ jti }) => jti))
  const parentOf = ({ parent_jti }: T) =>
    parent_jti !== undefined && known.has(parent_jti) ? parent_jti : ABOVE
  type Entry = { readonly id: string; readonly above: string | undefined; readonly token: T | undefined }
  const entries: Entry[] = [
    { id: ABOVE, above: undefined, token: undefined },
    ...tokens.map((token) => ({ id: token.jti, above: parentOf(token), token })),
  ]
  const root = stratify<Entry>()
    .id(({ id }) => id)
    .parentId(({ above }) => above)(entries)
  const placed = tree<Entry>()
    .nodeSize([TREE_NODE.height + GAP.y, TREE_NODE.width + GAP.x])(root)
    .descendants()
  const lowest = Math.min(...placed.map(({ x }) => x))
  const column = TREE_NODE.width + GAP.x
  const nodes = placed.flatMap(({ data: { token }, x, y, depth }) =>
    token === undefined ? [] : [{ token, x: round(y - column), y: round(x - lowest), depth: depth - 1 }],
  )
  const at = new Map(nodes.map((node) => [node.token.jti, node]))
  const links = nodes.flatMap(({ token, x, y }) => {
    const parent = at.get(token.parent_jti ?? '')
    if (parent === undefined) return []
    const [top, bottom] = [Math.min(parent.y, y), Math.max(parent.y, y) + TREE_NODE.height]
    return [{ key: token.jti, path: curve(parent.x, parent.y, x, y), top, bottom }]
  })
  return {
    nodes,
    links,
    width: Math.max(...nodes.map(({ x }) => x)) + TREE_NODE.width,
    height: Math.max(...nodes.map(({ y }) => y)) + TREE_NODE.height,
  }
}

const ABOVE = 'above every root'

function curve(from_x: number, from_y: number, to_x: number, to_y: number): string {
  const [x1, y1] = [from_x + TREE_NODE.width, from_y + TREE_NODE.height / 2]
  const y2 = to_y + TREE_NODE.height / 2
  const middle = (x1 + to_x) / 2
  return `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${to_x},${y2}`
}
