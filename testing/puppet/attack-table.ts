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
import { CAPTURE_REASONS, type CaptureReason } from '../../biometrics/src/judge/reasons.ts'
import { aPuppet, type Puppet } from './a-puppet.ts'
import { seeded } from './random.ts'
import type { Cause, Species } from './species.ts'
import { VOICES, type VoiceName } from './voice.ts'

/** An enrolled puppet, and the capture that verified it. */
export interface EnrolledPuppet {
  readonly avatar: number
  readonly voice: VoiceName
  readonly template: Template
  readonly steps: readonly Step[]
  readonly control: readonly StepEvidence[]
  readonly puppet: Puppet
}

/** Enrols a puppet and has it verify itself honestly. Only the neutral and the speak step make up the template. */
export async function enrolled(analyser: Analyser, avatar: number, seed: number): Promise<EnrolledPuppet> {
  const voice = voiceFor(avatar)
  const puppet = await aPuppet({ avatar, voice, seed })
  const enrolment = await evidenceOf(
    analyser,
    stepsFor(`enroll ${avatar} ${seed}`).filter(({ kind }) => kind === 'neutral' || kind === 'speak'),
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

const NO_DURESS = { word: 'lantern', is_decoy: true, gesture: undefined }

type Media = Awaited<ReturnType<Puppet['perform']>>

async function evidenceOf(
  analyser: Analyser,
  steps: readonly Step[],
  answer: (step: Step) => Promise<Media>,
): Promise<StepEvidence[]> {
  const taken: StepEvidence[] = []
  for (const step of steps) taken.push(await analysed(analyser, step, await answer(step), taken))
  return taken
}

function analysed(analyser: Analyser, step: Step, media: Media, prior: readonly StepEvidence[]) {
  return analyser.analyse({ step, media, prior, duress: NO_DURESS })
}

/** The judgement of a capture, and the causes found. */
export interface CaptureOutcome {
  readonly judgement: CaptureJudgement
  readonly causes: readonly Cause[]
}

/** Attacks an identity. Steps that the attack answers honestly reuse the evidence of the control. */
export async function attacked(
  analyser: Analyser,
  { steps, control, puppet, template }: EnrolledPuppet,
  { how }: Species,
): Promise<CaptureOutcome> {
  const taken: StepEvidence[] = []
  for (const [i, step] of steps.entries()) {
    const deceit = how(step)
    const known = deceit === undefined ? control[i] : undefined
    taken.push(known ?? (await analysed(analyser, step, await puppet.perform(step, deceit), taken)))
  }
  return captureOutcome(taken, template)
}

/** Judges a capture against a template, with a passkey. */
export function captureOutcome(steps: readonly StepEvidence[], template: Template): CaptureOutcome {
  const judgement = judgeCapture({ steps, template, accommodations: [], has_passkey: true })
  const said = judgement.modalities.flatMap(({ reasons }) => reasons)
  const reasons = REASON_NAMES.filter((name) => said.includes(CAPTURE_REASONS[name]))
  return { judgement, causes: [...new Set([...reasons, ...steps.flatMap(({ quality }) => quality)])] }
}

const REASON_NAMES = Object.keys(CAPTURE_REASONS) as CaptureReason[] // the keys of a constant table

/** The outcome of a capture and its measures, in one line. */
export function inOneLine({ judgement: { decision, modalities, score }, causes }: CaptureOutcome): string {
  const measures = Object.assign({}, ...modalities.map((modality) => modality.measures))
  return `${decision} (${score.toFixed(2)}) ${causes.join(', ')} ${JSON.stringify(measures)}`
}
