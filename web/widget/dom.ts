/** Elements created by calls, so that no text is ever read as markup. */

import { visibleText } from '@deputize/protocol/visible-text'

type Child = Node | string | undefined | false

interface ElementOptions {
  readonly class?: string
  /** Attributes. A value that is false or undefined leaves the attribute out. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly onClick?: () => void
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  options: ElementOptions = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  if (options.class !== undefined) made.className = options.class
  setAttributes(made, options.attributes ?? {})
  if (options.onClick !== undefined) made.addEventListener('click', options.onClick)
  made.append(...children.filter((child) => child !== undefined && child !== false))
  return made
}

const SVG = 'http://www.w3.org/2000/svg'

export function svgElement(
  tag: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
  ...children: readonly Node[]
): SVGElement {
  const made = document.createElementNS(SVG, tag) as SVGElement // every element of this namespace is one
  setAttributes(made, attributes)
  made.append(...children)
  return made
}

/** Untrusted text. Characters that could deceive a reader are shown as code points. */
export function foreign(text: string): string {
  return visibleText(text)
}

function setAttributes(
  to: Element,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) to.setAttribute(name, value === true ? '' : String(value))
}
