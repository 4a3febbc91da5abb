import type { FlowState } from './flow-state.ts'
import type { WidgetFrame } from './frame.ts'
import { isEnd, needsCamera, type WidgetScreen } from './screens.ts'
import type { WidgetStep } from './session-calls.ts'
import type { ViewActions } from './views/controls.ts'
import { viewOf } from './views/view-of.ts'

/**
 * Draws the screen and returns its key. `drawn` is the key of what was drawn before: the elements of a step stay while
 * it is announced, recorded and sent.
 */
export function showScreen(
  state: FlowState,
  frame: WidgetFrame,
  actions: ViewActions,
  drawn: string,
): string {
  const { screen, language, summary } = state
  const { texts } = language
  frame.language = language.language
  frame.label = summary?.purpose === 'enroll' ? texts.title_enroll : texts.title_verify
  frame.cancel.textContent = texts.cancel
  frame.cancel.hidden = isEnd(screen)
  frame.stage(stageOf(screen), screen.name === 'recording' ? texts.step_recording : '')
  if (screen.name !== 'prepare') frame.countIn('')
  frame.share(shareOf(state))
  frame.count(countWords(state))
  const key = bodyKey(state)
  if (key !== drawn) frame.body.replaceChildren(...viewOf(state, actions))
  frame.trouble(troubleWords(screen, texts))
  return key
}

/** Screens with the same key show the same elements. */
function bodyKey({ screen, language, challenge }: FlowState): string {
  const shown = 'step' in screen ? screen.step.step_id : JSON.stringify(screen)
  return `${language.language} ${challenge?.ceremony} ${shown}`
}

function stageOf({ name }: WidgetScreen<WidgetStep>): 'waiting' | 'recording' | undefined {
  if (name === 'recording') return 'recording'
  return needsCamera({ name }) ? 'waiting' : undefined
}

function shareOf({ screen, opened, steps_done }: FlowState): number | undefined {
  if (opened === undefined || opened.steps_total === 0) return undefined
  if (screen.name === 'done' || screen.name === 'finishing' || screen.name === 'passkey') return 1
  return 'step' in screen ? steps_done / opened.steps_total : undefined
}

function countWords({ screen, opened }: FlowState): string {
  return opened !== undefined && 'step' in screen ? `${screen.step.index + 1} / ${opened.steps_total}` : ''
}

function troubleWords(
  screen: WidgetScreen<WidgetStep>,
  texts: FlowState['language']['texts'],
): string | undefined {
  if (screen.name !== 'sending') return undefined
  return screen.trouble === undefined ? texts.sending_title : texts[`sending_${screen.trouble}`]
}
