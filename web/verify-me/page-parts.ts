/** Parts of the page. Everything that comes from a caller is set as text, with hidden characters shown. */
import { visibleText } from '@deputize/protocol/visible-text'

type Part = Node | string

export function pagePart<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...parts: readonly Part[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (className !== '') made.className = className
  made.append(...parts.map((part) => (typeof part === 'string' ? visibleText(part) : part)))
  return made
}

export function pageButton(label: string, look: '' | 'plain', act: () => void): HTMLButtonElement {
  const made = pagePart('button', look, label)
  made.type = 'button'
  made.addEventListener('click', act)
  return made
}

/** Replaces the screen. A screen that follows another one is announced, and the focus goes to its heading. */
export function showPage(title: string, ...parts: readonly Part[]): void {
  const main = document.getElementById('verify-me')
  const heading = document.querySelector('h1')
  if (main === null || heading === null) throw new Error('the page has lost its parts')
  const isFirst = main.childElementCount === 0
  heading.textContent = visibleText(title)
  document.title = `${visibleText(title)} · Deputy`
  main.replaceChildren(...parts)
  heading.tabIndex = -1
  if (!isFirst) heading.focus()
}
