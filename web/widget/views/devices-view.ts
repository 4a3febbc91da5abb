import type { DeviceChoice } from '../devices.ts'
import { element, foreign } from '../dom.ts'
import type { FlowState } from '../flow-state.ts'
import type { WidgetTexts } from '../locales/en.ts'
import { CAMERA_MARK } from '../pictures.ts'
import type { DeviceProblem } from '../screens.ts'
import { otherWay } from './consent-view.ts'
import { checkbox, fold, heading, mainAction, statement, type ViewActions } from './controls.ts'

const PROBLEM_TITLES: Readonly<Record<DeviceProblem, keyof WidgetTexts>> = {
  denied_query: 'denied_title',
  denied_plain: 'denied_title',
  denied_policy: 'denied_title',
  denied_insecure: 'denied_title',
  denied_system: 'denied_title',
  absent: 'absent_title',
  absent_microphone: 'absent_title',
  busy: 'busy_title',
  lost: 'lost_title',
  unsupported: 'unsupported_title',
}

/** Shown while the browser asks for permission, or to explain why there is no device. */
export function devicesView(
  problem: DeviceProblem | undefined,
  state: FlowState,
  { again }: ViewActions,
): HTMLElement[] {
  const { language, accommodations } = state
  const { texts } = language
  if (problem === undefined) {
    const title = accommodations.has('no_voice') ? texts.devices_title_camera : texts.devices_title
    return [statement('plain', CAMERA_MARK, title, [texts.devices_ask])]
  }
  const title = texts[PROBLEM_TITLES[problem]]
  return [
    statement('wait', CAMERA_MARK, title, [texts[problem]]),
    mainAction(texts.again, again),
    otherWay(state),
  ]
}

/** Shown below the picture and its hints. */
export function framingView(state: FlowState, actions: ViewActions): HTMLElement[] {
  const { texts } = state.language
  return [
    heading(texts.framing_title),
    mainAction(texts.framing_start, actions.start),
    fold(texts.framing_settings, false, ...deviceSettings(state, actions)),
  ]
}

function deviceSettings(state: FlowState, { chooseDevice }: ViewActions) {
  const { texts } = state.language
  const { cameras = [], microphones = [], camera_id, microphone_id } = state.media?.devices ?? {}
  const hasMicrophone = state.media?.microphone !== undefined
  return [
    picker(texts.framing_camera, cameras, camera_id, (chosen) => {
      state.camera_id = chosen
      chooseDevice()
    }),
    hasMicrophone &&
      picker(texts.framing_microphone, microphones, microphone_id, (chosen) => {
        state.microphone_id = chosen
        chooseDevice()
      }),
    hasMicrophone && levelBar(texts.framing_level),
    checkbox(texts.sound_on, state.wants_sound, (isOn) => {
      state.wants_sound = isOn
    }),
    'speechSynthesis' in globalThis &&
      checkbox(texts.framing_read_aloud, state.reads_aloud, (isOn) => {
        state.reads_aloud = isOn
      }),
  ]
}

/** Moves with the voice, for people who see it. */
function levelBar(name: string): HTMLElement {
  const bar = element('div', { class: 'level', attributes: { 'aria-hidden': 'true' } }, element('i'))
  return element('div', { class: 'small' }, name, bar)
}

function picker(
  name: string,
  choices: readonly DeviceChoice[],
  chosen: string | undefined,
  onChange: (device_id: string) => void,
): HTMLElement {
  const options = choices.map(({ device_id, label }, at) => {
    const option = element('option', {}, label === '' ? `${name} ${at + 1}` : foreign(label))
    option.value = device_id
    option.selected = device_id === chosen
    return option
  })
  const select = element('select', {}, ...options)
  select.addEventListener('change', () => onChange(select.value))
  return element('label', { class: 'field' }, name, select)
}
