import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { isEnd, needsCamera, nextScreen, type ScreenEvent, type WidgetScreen } from '../widget/screens.ts'

const STEP = { step_id: 'st_1', kind: 'neutral' }
const NEXT = { step_id: 'st_2', kind: 'move' }

/** Every screen that can be shown. */
const SCREENS: readonly WidgetScreen[] = [
  { name: 'loading' },
  { name: 'consent' },
  { name: 'devices' },
  { name: 'devices', problem: 'busy' },
  { name: 'framing' },
  { name: 'opening' },
  { name: 'provider' },
  { name: 'prepare', step: STEP, reasons: [] },
  { name: 'recording', step: STEP, reasons: [] },
  { name: 'sending', step: STEP },
  { name: 'passkey' },
  { name: 'finishing' },
  { name: 'done' },
  { name: 'retry', why: 'slow', reasons: [] },
  { name: 'failed', code: 'expired', reasons: [] },
  { name: 'cancelled' },
]

const EVENTS: readonly ScreenEvent[] = [
  { type: 'described' },
  { type: 'accepted' },
  { type: 'accepted_external' },
  { type: 'devices_ready' },
  { type: 'devices_failed', problem: 'lost' },
  { type: 'choose_device' },
  { type: 'start' },
  { type: 'opened_external' },
  { type: 'revealed', step: NEXT, reasons: ['Too dark.'] },
  { type: 'started' },
  { type: 'recorded' },
  { type: 'sending_trouble', trouble: 'offline' },
  { type: 'answered', passkey_required: true },
  { type: 'confirmed' },
  { type: 'passkey_failed', problem: 'not_used' },
  { type: 'judged' },
  { type: 'undecided' },
  { type: 'again', from: 'devices' },
  { type: 'interrupted', why: 'hidden' },
  { type: 'failed', code: 'locked' },
  { type: 'cancel' },
]

function after(...events: readonly ScreenEvent[]): WidgetScreen {
  return events.reduce<WidgetScreen>(nextScreen, { name: 'loading' })
}

const TO_FRAMING: readonly ScreenEvent[] = [
  { type: 'described' },
  { type: 'accepted' },
  { type: 'devices_ready' },
]
const TO_RECORDING: readonly ScreenEvent[] = [
  ...TO_FRAMING,
  { type: 'start' },
  { type: 'revealed', step: STEP, reasons: [] },
  { type: 'started' },
]

describe('the screens of the widget', () => {
  test('lead from consent to a verified person', () => {
    const events: ScreenEvent[] = [
      ...TO_RECORDING,
      { type: 'recorded' },
      { type: 'revealed', step: NEXT, reasons: [] },
      { type: 'started' },
      { type: 'recorded' },
      { type: 'answered', passkey_required: true },
      { type: 'confirmed' },
      { type: 'judged' },
    ]
    const names = events.map((_, at) => after(...events.slice(0, at + 1)).name)
    assert.deepEqual(names, [
      'consent',
      'devices',
      'framing',
      'opening',
      'prepare',
      'recording',
      'sending',
      'prepare',
      'recording',
      'sending',
      'passkey',
      'finishing',
      'done',
    ])
  })

  test('reach no recording without consent', () => {
    for (const event of EVENTS) {
      if (event.type === 'accepted' || event.type === 'accepted_external') continue
      const screen = nextScreen({ name: 'consent' }, event)
      assert.ok(['consent', 'failed', 'cancelled'].includes(screen.name), `${event.type}: ${screen.name}`)
    }
  })

  test('ignore events that do not fit: a second click, a late answer', () => {
    const recording = after(...TO_RECORDING)
    for (const type of ['start', 'started', 'accepted', 'confirmed', 'judged'] as const)
      assert.equal(nextScreen(recording, { type }), recording)
    assert.equal(nextScreen(recording, { type: 'revealed', step: NEXT, reasons: [] }), recording)
  })

  test('end only once: nothing follows an end', () => {
    for (const screen of SCREENS.filter(isEnd))
      for (const event of EVENTS) assert.equal(nextScreen(screen, event), screen)
  })

  test('can be cancelled everywhere else', () => {
    for (const screen of SCREENS.filter((screen) => !isEnd(screen)))
      assert.deepEqual(nextScreen(screen, { type: 'cancel' }), { name: 'cancelled' })
  })

  test('report a lost camera wherever it runs, and ask for one again', () => {
    for (const screen of SCREENS.filter(needsCamera)) {
      const lost = nextScreen(screen, { type: 'devices_failed', problem: 'lost' })
      assert.deepEqual(lost, { name: 'devices', problem: 'lost' })
      assert.deepEqual(nextScreen(lost, { type: 'again', from: 'devices' }), { name: 'devices' })
    }
    assert.equal(nextScreen({ name: 'passkey' }, { type: 'devices_failed', problem: 'lost' }).name, 'passkey')
  })

  test('say why a step is repeated', () => {
    const again = nextScreen(
      { name: 'sending', step: STEP },
      { type: 'revealed', step: NEXT, reasons: ['Too dark.'] },
    )
    assert.deepEqual(again, { name: 'prepare', step: NEXT, reasons: ['Too dark.'] })
  })

  test('start over from the beginning if nothing is known yet', () => {
    const offline = nextScreen({ name: 'loading' }, { type: 'interrupted', why: 'offline' })
    assert.equal(offline.name, 'retry')
    assert.equal(nextScreen(offline, { type: 'again', from: 'loading' }).name, 'loading')
  })

  test('need no camera for an external provider', () => {
    const screens = [
      after({ type: 'described' }, { type: 'accepted_external' }),
      after({ type: 'described' }, { type: 'accepted_external' }, { type: 'opened_external' }),
    ]
    assert.deepEqual(
      screens.map(({ name }) => name),
      ['opening', 'provider'],
    )
  })
})

describe('the types of the SDK', () => {
  const unionIn = (file: string, name: string): string[] => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8')
    const [, members = ''] = new RegExp(`export type ${name} =((?:\\s*\\| '\\w+')+)`).exec(text) ?? []
    return [...members.matchAll(/'(\w+)'/g)].map(([, member = '']) => member).sort()
  }
  const SDK = '../../sdk/node/src/widget.ts'

  test('name every screen and no other', () => {
    const shown = [...new Set(SCREENS.map(({ name }) => name))].sort()
    assert.deepEqual(unionIn(SDK, 'DeputyVerifyScreen'), shown)
  })

  test('name every failure code and no other', () => {
    const codes = unionIn('../widget/screens.ts', 'FailureCode')
    assert.ok(codes.includes('expired'))
    assert.deepEqual(unionIn(SDK, 'DeputyVerifyFailure'), codes)
  })
})
