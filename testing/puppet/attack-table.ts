import {
  type CaptureJudgement,
  drawSteps,
  judgeCapture,
  makeTemplate,
  type Step,
  type StepEvidence,
  type Template,
} from '@deputize/biometrics'
import type { Analyser } from '../../biometrics/src/analyse-step.ts'
import { aPuppet, type Performance, type Puppet } from './a-puppet.ts'
import { seeded } from './random.ts'
import { VOICES, type VoiceName } from './voice.ts'

/** One kind of attack or mishap, and what must become of it. */
interface Species {
  readonly name: string
  /** Decisions that count as stopped, or as right for the control. */
  readonly expected: readonly CaptureJudgement['decision'][]
  /** What is done in a step; undefined where the step is answered as the control answers it. */
  readonly how: (step: Step) => Performance | undefined
}

const STOPPED = ['fail', 'review', 'retry'] as const
const always = (how: Performance) => () => how
const inKind = (kind: Step['kind'], how: Performance) => (step: Step) =>
  step.kind === kind ? how : undefined

/** Shown to the camera, played into it, or spoken into the microphone. */
export const SPECIES: readonly Species[] = [
  { name: 'printed photo', expected: STOPPED, how: always({ deceit: 'photo' }) },
  {
    name: 'printed photo that reflects the screen',
    expected: STOPPED,
    how: always({ deceit: 'photo', tint: 0.03 }),
  },
  { name: 'bent photo', expected: STOPPED, how: always({ deceit: 'bent_photo' }) },
  {
    name: 'bent photo that reflects the screen',
    expected: STOPPED,
    how: always({ deceit: 'bent_photo', tint: 0.03 }),
  },
  { name: 'screen replay of another session', expected: STOPPED, how: always({ deceit: 'screen_replay' }) },
  { name: 'looped frames', expected: STOPPED, how: always({ deceit: 'loop' }) },
  { name: 'live puppet without reflection', expected: STOPPED, how: inKind('flash', { deceit: 'no_tint' }) },
  { name: 'wrong digits', expected: ['fail'], how: inKind('speak', { deceit: 'wrong_digits' }) },
  { name: 'foreign voice', expected: STOPPED, how: inKind('speak', { deceit: 'other_voice' }) },
  {
    name: 'dubbed, 700 ms late',
    expected: STOPPED,
    how: inKind('speak', { deceit: 'dubbed', shift_ms: 700 }),
  },
  { name: 'dubbed over a closed mouth', expected: STOPPED, how: inKind('speak', { deceit: 'closed_mouth' }) },
  { name: 'second face', expected: STOPPED, how: always({ deceit: 'second_face' }) },
  { name: 'too dark', expected: ['retry', 'fail'], how: always({ deceit: 'too_dark' }) },
  { name: 'no speech', expected: ['retry', 'fail'], how: inKind('speak', { deceit: 'silent' }) },
]

/** A puppet that was enrolled, and the capture by which it verified itself. */
export interface EnrolledPuppet {
  readonly avatar: number
  readonly voice: VoiceName
  readonly template: Template
  readonly steps: readonly Step[]
  readonly control: readonly StepEvidence[]
  readonly puppet: Puppet
}

/** Enrols a puppet and lets it verify itself honestly. `enrolling` says which of the steps count for the template. */
export async function enrolled(
  analyser: Analyser,
  avatar: number,
  seed: number,
  enrolling: (step: Step) => boolean = () => true,
): Promise<EnrolledPuppet> {
  const voice = voiceFor(avatar)
  const puppet = await aPuppet({ avatar, voice, seed })
  const enrolment = await evidenceOf(
    analyser,
    stepsFor(`enroll ${avatar} ${seed}`).filter(enrolling),
    (step) => puppet.perform(step),
  )
  const template = makeTemplate(enrolment, 'eval')
  if (template === undefined) throw new Error(`Avatar ${avatar} gave no template.`)
  const steps = stepsFor(`verify ${avatar} ${seed}`)
  const control = await evidenceOf(analyser, steps, (step) => puppet.perform(step))
  return { avatar, voice, template, steps, control, puppet }
}

function voiceFor(avatar: number): VoiceName {
  const names = Object.keys(VOICES) as VoiceName[] // the keys of a constant table
  return names[avatar % names.length] ?? 'anna'
}

function stepsFor(seed: string): Step[] {
  const random = seeded(seed)
  return drawSteps([], (limit) => Math.floor(random() * limit))
}

const NO_DURESS = { word: 'lantern', gesture: undefined }

type Media = Awaited<ReturnType<Puppet['perform']>>

async function evidenceOf(
  analyser: Analyser,
  steps: readonly Step[],
  answer: (step: Step) => Promise<Media>,
): Promise<StepEvidence[]> {
  const taken: StepEvidence[] = []
  for (const step of steps)
    taken.push(await analyser.analyse({ step, media: await answer(step), prior: taken, duress: NO_DURESS }))
  return taken
}

/** The attack on an identity. Steps that the attack answers truly are those of the control. */
export async function attacked(
  analyser: Analyser,
  identity: EnrolledPuppet,
  { how }: Species,
): Promise<CaptureJudgement> {
  const taken: StepEvidence[] = []
  for (const [i, step] of identity.steps.entries()) {
    const deceit = how(step)
    const known = identity.control[i]
    const media = deceit && (await identity.puppet.perform(step, deceit))
    if (media !== undefined)
      taken.push(await analyser.analyse({ step, media, prior: taken, duress: NO_DURESS }))
    else if (known !== undefined) taken.push(known)
  }
  return judgementOf(taken, identity.template)
}

/** A capture against a template, with a passkey. */
export function judgementOf(steps: readonly StepEvidence[], template: Template): CaptureJudgement {
  return judgeCapture({ steps, template, accommodations: [], has_passkey: true })
}

/** Why a judgement is not a pass, in one line. */
export function whyNot({ decision, modalities, score }: CaptureJudgement): string {
  const reasons = modalities.flatMap(({ name, passed, reasons }) =>
    passed ? [] : [`${name}: ${reasons.join(' ')}`],
  )
  return `${decision} (${score.toFixed(2)}) ${reasons.join('; ')}`
}
