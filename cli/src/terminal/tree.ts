import { harmless, type Screen, type Style, shortened } from './screen.ts'

/** A node with its children. The first line names it; the others add details. */
export interface Branch {
  readonly lines: readonly string[]
  readonly style?: Style
  readonly below: readonly Branch[]
}

/** Draws a tree with its root at the left edge. */
export function tree(root: Branch, screen: Screen): string {
  return [...drawn(root, '', '', screen)].map((line) => `${line}\n`).join('')
}

function* drawn(branch: Branch, head: string, indent: string, screen: Screen): Generator<string> {
  const { glyphs, width } = screen
  const [first = '', ...more] = branch.lines
  const text = shortened(harmless(first), width - head.length, screen)
  yield head + (branch.style === undefined ? text : screen.paint(branch.style, text))
  const side = branch.below.length === 0 ? glyphs.gap : glyphs.line
  for (const line of more)
    yield `${indent}${side}${shortened(harmless(line), width - indent.length - side.length, screen)}`
  for (const [at, child] of branch.below.entries()) {
    const isLast = at === branch.below.length - 1
    yield* drawn(
      child,
      indent + (isLast ? glyphs.last : glyphs.branch),
      indent + (isLast ? glyphs.gap : glyphs.line),
      screen,
    )
  }
}
