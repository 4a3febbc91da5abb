import { element, foreign } from '../dom.ts'
import { type FlowState, isExternal } from '../flow-state.ts'
import { filled } from '../locales/texts.ts'
import { CHECK_MARK, CROSS_MARK, LOOP_MARK, PASSKEY_MARK } from '../pictures.ts'
import type { PasskeyProblem, WidgetScreen } from '../screens.ts'
import { otherWay } from './consent-view.ts'
import { heading, mainAction, paragraph, statement, type ViewActions } from './controls.ts'

export function waitingView(words: string): HTMLElement[] {
  return [element('div', { class: 'result' }, element('div', { class: 'busy' }), heading(words))]
}

export function providerView({ language: { texts }, summary, opened }: FlowState): HTMLElement[] {
  const provider = foreign(summary?.provider ?? '')
  const address = opened?.redirect_url
  return [
    heading(filled(texts.provider_title, { provider })),
    paragraph(texts.provider_text),
    ...(isWebAddress(address) ? [outLink(address, filled(texts.provider_open, { provider }))] : []),
    paragraph(texts.provider_waiting, 'dim'),
  ]
}

/** Whether an address is http or https: a link must not run a script. */
function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//.test(address)
}

function outLink(href: string, text: string): HTMLElement {
  const attributes = { href, target: '_blank', rel: 'noopener noreferrer' }
  return element('div', { class: 'actions' }, element('a', { class: 'main', attributes }, text))
}

export function passkeyScreenView(
  problem: PasskeyProblem | undefined,
  { language: { texts }, summary, challenge }: FlowState,
  { usePasskey }: ViewActions,
): HTMLElement[] {
  const isNew = challenge?.ceremony === 'create'
  const signed = summary?.request === undefined ? texts.passkey_text : texts.passkey_text_request
  const title = isNew ? texts.passkey_title_create : texts.passkey_title
  return [
    statement('plain', PASSKEY_MARK, title, [isNew ? texts.passkey_text_create : signed]),
    ...(problem === undefined ? [] : [paragraph(texts[`passkey_${problem}`], 'again')]),
    ...(challenge === undefined
      ? []
      : [mainAction(isNew ? texts.passkey_create : texts.passkey_use, usePasskey)]),
  ]
}

export function doneView({ language: { texts }, summary, is_elsewhere }: FlowState): HTMLElement[] {
  const agent = summary?.request?.agent_id
  const here = agent === undefined ? texts.done : filled(texts.done_token, { agent: foreign(agent) })
  const title = summary?.purpose === 'enroll' ? texts.done_title_enroll : texts.done_title
  return [statement('good', CHECK_MARK, title, [is_elsewhere ? texts.done_elsewhere : here])]
}

export function retryView(
  { why, reasons }: Extract<WidgetScreen, { name: 'retry' }>,
  state: FlowState,
  { again }: ViewActions,
): HTMLElement[] {
  const { language, attempts_left } = state
  const { texts } = language
  const lines = reasons.length > 0 ? reasons.map(foreign) : [texts[`why_${why}`]]
  const left = attempts_left === undefined ? [] : [filled(texts.retry_left, { count: attempts_left })]
  return [
    statement('wait', LOOP_MARK, texts.retry_title, [...lines, ...left]),
    mainAction(texts.again, again),
    ...(state.summary === undefined || isExternal(state) ? [] : [otherWay(state)]),
  ]
}

export function failedView(
  { code, reasons }: Extract<WidgetScreen, { name: 'failed' }>,
  { language: { texts } }: FlowState,
): HTMLElement[] {
  const isJudged = code === 'failed' || code === 'review'
  const title = isJudged ? texts.failed_title : texts.failed_closed_title
  return [statement('bad', CROSS_MARK, title, [texts[`end_${code}`], ...reasons.map(foreign)])]
}

export function cancelledView({ language: { texts } }: FlowState): HTMLElement[] {
  return [statement('plain', CROSS_MARK, texts.cancelled_title, [texts.cancelled])]
}
