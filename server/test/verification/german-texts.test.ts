import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GESTURES, MOVEMENTS, type Step } from '@deputize/biometrics'
import { informalGerman } from '@deputize/testing/informal-german.ts'
import { capturePrompt } from '../../src/verification/capture-prompts.ts'
import { loadConsent } from '../../src/verification/consent-notice.ts'
import { GERMAN_CAPTURE_REASONS, GERMAN_EXTERNAL_REASONS } from '../../src/verification/german-reasons.ts'
import { QUALITY_TEXTS } from '../../src/verification/quality-texts.ts'

const STEPS: readonly Step[] = [
  { kind: 'neutral' },
  { kind: 'flash', colors: [], slot_ms: 334 },
  { kind: 'speak', digits: '123456' },
  ...MOVEMENTS.map((movement) => ({ kind: 'move' as const, movement })),
  ...GESTURES.map((gesture) => ({ kind: 'gesture' as const, gesture })),
]

test('prompts, reasons and the consent use Sie in German', () => {
  const { notice } = loadConsent(undefined, 365)
  const german = [
    ...STEPS.map((step) => capturePrompt(step, 'de')),
    ...Object.values(QUALITY_TEXTS.de),
    ...GERMAN_CAPTURE_REASONS.values(),
    ...Object.values(GERMAN_EXTERNAL_REASONS),
    notice?.texts.de ?? '',
  ]
  for (const text of german) assert.deepEqual(informalGerman(text), [], text)
})
