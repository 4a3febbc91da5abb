/** The parts that screens are built of. */

import { element } from '../dom.ts'
import { drawing } from '../pictures.ts'

/** What a person can do. */
export interface ViewActions {
  readonly accept: () => void
  readonly start: () => void
  readonly again: () => void
  readonly usePasskey: () => void
  readonly chooseDevice: () => void
}

/** What a screen reader starts with when the screen changes. */
export function heading(text: string): HTMLElement {
  return element('h2', { attributes: { tabindex: -1 } }, text)
}

export function paragraph(text: string, kind?: string): HTMLElement {
  return element('p', kind === undefined ? {} : { class: kind }, text)
}

/** The main button of a screen. */
export function mainAction(text: string, onClick: () => void): HTMLElement {
  const button = element('button', { class: 'main', attributes: { type: 'button' }, onClick }, text)
  return element('div', { class: 'actions' }, button)
}

export function checkbox(
  text: string,
  isSet: boolean,
  onChange: (isSet: boolean) => void,
  isFixed = false,
): HTMLElement {
  const box = element('input', { attributes: { type: 'checkbox', disabled: isFixed } })
  box.checked = isSet
  box.addEventListener('change', () => onChange(box.checked))
  return element('label', { class: 'option' }, box, element('span', {}, text))
}

/** A part that can be folded. */
export function fold(
  title: string,
  isOpen: boolean,
  ...children: readonly (Node | string | undefined | false)[]
): HTMLElement {
  const content = element('div', { class: 'fold' }, ...children)
  return element('details', { attributes: { open: isOpen } }, element('summary', {}, title), content)
}

/** A mark, a title and a few lines, in the middle. */
export function statement(
  tone: 'good' | 'bad' | 'wait' | 'plain',
  mark: readonly string[],
  title: string,
  lines: readonly string[],
): HTMLElement {
  const ground = element('div', { class: `mark-ground ${tone}` }, drawing(mark, 'mark'))
  return element('div', { class: 'result' }, ground, heading(title), ...lines.map((line) => paragraph(line)))
}
