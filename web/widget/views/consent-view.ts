import { element, foreign } from '../dom.ts'
import { type FlowState, isExternal } from '../flow-state.ts'
import type { WidgetTexts } from '../locales/en.ts'
import { type ChosenLanguage, filled } from '../locales/texts.ts'
import { type AskedToken, requestWords } from '../request-words.ts'
import type { ConsentText, SessionSummary, WidgetAccommodation } from '../session-calls.ts'
import { checkbox, fold, heading, mainAction, paragraph, type ViewActions } from './controls.ts'

/** Shown before anything is recorded: who asks for what, what is recorded, and what the person agrees to. */
export function consentView(state: FlowState, { accept }: ViewActions): HTMLElement[] {
  const { summary, consent, language } = state
  const { texts } = language
  const isEnrollment = summary?.purpose === 'enroll'
  const words = element('div')
  const sayWhat = () => words.replaceChildren(...captureWords(state))
  sayWhat()
  return [
    heading(isEnrollment ? texts.title_enroll : texts.title_verify),
    paragraph(askedWords(state)),
    ...(summary === undefined ? [] : askedBox(summary, language)),
    words,
    // The notice is about the built-in engine. A provider asks for its own consent.
    ...(consent === undefined || isExternal(state) ? [] : [consentNotice(consent, language.language, texts)]),
    ...(isExternal(state) ? [] : [otherWay(state, sayWhat)]),
    mainAction(texts.consent_accept, accept),
  ]
}

function askedWords({ summary, language: { texts } }: FlowState): string {
  if (summary?.purpose === 'enroll') return texts.consent_enroll
  const name = askerName(summary)
  return name === undefined ? texts.consent_asked : filled(texts.consent_asked_by, { name: foreign(name) })
}

/** Undefined if the person asks themselves, or if the operator gave no names. */
function askerName(summary: SessionSummary | undefined): string | undefined {
  if (summary === undefined || summary.asked_by.is_person) return undefined
  const { name, tenant_name } = summary.asked_by
  // The tenant that every service starts with.
  if (/^default$/i.test(tenant_name)) return name
  return name === undefined ? tenant_name : `${tenant_name} (${name})`
}

/** What is recorded, without what the person leaves out. */
function captureWords(state: FlowState): HTMLElement[] {
  const { summary, accommodations } = state
  const { texts, language } = state.language
  if (isExternal(state))
    return [paragraph(filled(texts.consent_external, { provider: foreign(summary?.provider ?? '') }), 'dim')]
  const [look = '', move = '', say = '', show = ''] = texts.consent_what.split('|')
  const steps = [look, move]
  if (!accommodations.has('no_voice')) steps.push(say)
  if (!accommodations.has('no_hand')) steps.push(show)
  return [
    paragraph(`${new Intl.ListFormat(language).format(steps)}.`, 'dim'),
    ...(accommodations.has('no_flash') ? [] : [paragraph(texts.consent_flash, 'dim')]),
  ]
}

/** The token or the approval that the person confirms. */
function askedBox({ request, sentences }: SessionSummary, language: ChosenLanguage): HTMLElement[] {
  if (request !== undefined) return [requestBox(request, sentences, language)]
  if (sentences.length === 0) return []
  const lines = sentences.map((line) => element('li', {}, foreign(line)))
  return [
    element(
      'div',
      { class: 'box' },
      element('ul', { class: 'limits', attributes: { lang: 'en' } }, ...lines),
    ),
  ]
}

/** The first sentence repeats the rows above it. The others are in English, so other languages get more rows. */
function requestBox(
  request: AskedToken,
  [, ...limits]: readonly string[],
  { texts, language }: ChosenLanguage,
): HTMLElement {
  const words = requestWords(request, texts)
  const rows = (language === 'en' ? words.slice(0, 2) : words).flatMap(([word, value]) => [
    element('dt', {}, word),
    element('dd', {}, foreign(value)),
  ])
  const title = filled(texts.consent_allows, { agent: foreign(request.agent_id) })
  const lines = limits.map((line) => element('li', {}, foreign(line)))
  return element(
    'div',
    { class: 'box' },
    element('h3', {}, title),
    element('dl', {}, ...rows),
    lines.length > 0 && element('ul', { class: 'limits', attributes: { lang: 'en' } }, ...lines),
  )
}

/** Open from the start: people agree to what they can read. */
function consentNotice(
  { texts: notices, version }: ConsentText,
  language: string,
  texts: WidgetTexts,
): HTMLElement {
  const notice = notices[language] ?? notices.en ?? ''
  const paragraphs = notice.split('\n\n').map((text) => paragraph(foreign(text)))
  // It scrolls, so it must be reachable with the keyboard.
  const attributes = { role: 'region', tabindex: 0, 'aria-label': texts.consent_text }
  return fold(
    texts.consent_text,
    true,
    element('div', { class: 'notice', attributes }, ...paragraphs),
    paragraph(filled(texts.consent_version, { version: foreign(version) }), 'small'),
  )
}

/** Offers alternatives, before and after anything that a person may be unable to do. */
export function otherWay(
  { accommodations, wants_less_motion, summary, language: { texts } }: FlowState,
  onChange?: () => void,
): HTMLElement {
  const option = (which: WidgetAccommodation) => {
    const choose = (isSet: boolean) => {
      if (isSet) accommodations.add(which)
      else accommodations.delete(which)
      onChange?.()
    }
    const isFixed = summary?.accommodations.includes(which)
    return checkbox(texts[`other_${which}`], accommodations.has(which), choose, isFixed)
  }
  return fold(
    texts.other_way,
    accommodations.size > 0,
    wants_less_motion && paragraph(texts.other_motion, 'dim'),
    paragraph(texts.other_intro, 'dim'),
    option('no_voice'),
    option('no_hand'),
    option('no_flash'),
    paragraph(texts.other_none, 'small'),
  )
}
