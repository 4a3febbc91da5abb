import type { Accommodation, Decision, QualityReason, Step } from '@deputize/biometrics'
import type { CaptureReason } from '../../biometrics/src/judge/reasons.ts'
import type { Deceit, Performance } from './a-puppet.ts'

/** Why a capture did not simply pass: a reason of the judgement, or of a step that must be repeated. */
export type Cause = CaptureReason | QualityReason

/** A kind of attack or mishap, and its expected outcome. */
export interface Species {
  readonly name: string
  /** Decisions that count as right. */
  readonly expected: readonly Decision[]
  /** Causes that must be among those found, so that nothing is stopped by coincidence. */
  readonly causes: readonly Cause[]
  /** What is done in a step; undefined if the step is answered like in the control. */
  readonly how: (step: Step) => Performance | undefined
}

const inKind = (kind: Step['kind'], how: Performance) => (step: Step) =>
  step.kind === kind ? how : undefined

/**
 * Held in front of the camera only in the neutral step and the turns: a person answers the rest, with the screen's
 * light on the face. That is harder to notice than a photo in all steps.
 */
const heldUp = (deceit: Deceit) => (step: Step) =>
  step.kind === 'neutral' || (step.kind === 'move' && /^turn_/.test(step.movement)) ? { deceit } : undefined

/** Shown to the camera, played into it, or spoken into the microphone. */
export const SPECIES: readonly Species[] = [
  {
    name: 'printed photo',
    expected: ['fail'],
    // Not `looks_flat`: for some faces, a flat print shows as much depth as the gate requires.
    causes: ['head_not_turned'],
    how: heldUp('photo'),
  },
  { name: 'bent photo', expected: ['fail'], causes: ['screen_pattern'], how: heldUp('bent_photo') },
  {
    name: 'screen replay of another session',
    expected: ['fail'],
    causes: ['screen_pattern', 'movement_missed'],
    how: heldUp('screen_replay'),
  },
  {
    name: 'looped frames',
    expected: ['fail'],
    causes: ['repeated_frames'],
    how: inKind('neutral', { deceit: 'loop' }),
  },
  {
    name: 'live puppet without reflection',
    expected: ['fail'],
    causes: ['no_reflection'],
    how: inKind('flash', { deceit: 'no_tint' }),
  },
  {
    name: 'wrong digits',
    expected: ['fail'],
    causes: ['wrong_digits'],
    how: inKind('speak', { deceit: 'wrong_digits' }),
  },
  {
    name: 'foreign voice',
    expected: ['review', 'fail'],
    causes: ['voice_differs'],
    how: inKind('speak', { deceit: 'other_voice' }),
  },
  {
    name: 'dubbed, 400 to 1100 ms late',
    expected: ['review', 'fail'],
    causes: ['not_in_sync'],
    how: (step) =>
      step.kind === 'speak' ? { deceit: 'dubbed', shift_ms: 400 + (Number(step.digits) % 701) } : undefined,
  },
  {
    name: 'dubbed over a closed mouth',
    expected: ['review', 'fail'],
    causes: ['not_in_sync'],
    how: inKind('speak', { deceit: 'closed_mouth' }),
  },
  {
    name: 'second face',
    expected: ['fail', 'retry'],
    causes: ['several_faces'],
    how: inKind('neutral', { deceit: 'second_face' }),
  },
  {
    name: 'too dark',
    // The service wants the step repeated. Judged together with bright steps, the face can look like another one.
    expected: ['retry', 'fail'],
    causes: ['too_dark'],
    how: inKind('neutral', { deceit: 'too_dark' }),
  },
  {
    name: 'no speech',
    expected: ['retry'],
    causes: ['no_speech'],
    how: inKind('speak', { deceit: 'silent' }),
  },
]

/** Steps that a person can replace with the passkey. */
const OPTIONAL_STEPS: readonly (readonly [Accommodation, Step])[] = [
  ['no_flash', { kind: 'flash', colors: ['red'], slot_ms: 350 }],
  ['no_voice', { kind: 'speak', digits: '123456' }],
  ['no_hand', { kind: 'gesture', gesture: 'victory' }],
]

/** Steps that the attack doesn't touch, which the passkey replaces to save time. */
export function leftOut({ how }: Pick<Species, 'how'>): Accommodation[] {
  return OPTIONAL_STEPS.flatMap(([accommodation, step]) => (how(step) === undefined ? [accommodation] : []))
}
