import { element, foreign } from '../dom.ts'
import type { FlowState } from '../flow-state.ts'
import { filled } from '../locales/texts.ts'
import { pictureOf } from '../pictures.ts'
import type { WidgetStep } from '../session-calls.ts'
import { heading, paragraph } from './controls.ts'

/** A task, while it is announced, recorded and sent. `reasons`: why it is repeated. */
export function stepView(
  step: WidgetStep,
  reasons: readonly string[],
  { language: { texts }, opened }: FlowState,
): HTMLElement[] {
  const { prompt, digits, index, kind } = step
  const position = filled(texts.step_of, { done: index + 1, total: opened?.steps_total ?? 0 })
  const words = element(
    'div',
    {},
    paragraph(position, 'small'),
    heading(foreign(digits === undefined ? prompt : prompt.replace(/[\d\s]+$/, ''))),
    kind === 'flash' && paragraph(texts.step_flash_soon, 'dim'),
  )
  return [
    ...reasons.map((reason) => paragraph(`${texts.step_again}: ${foreign(reason)}`, 'again')),
    element('div', { class: 'task' }, pictureOf(step), words),
    ...(digits === undefined ? [] : [bigDigits(digits)]),
    element('p', { class: 'trouble dim', attributes: { hidden: true } }),
  ]
}

function bigDigits(digits: string): HTMLElement {
  return element('p', { class: 'digits' }, [...digits].join(' '))
}
