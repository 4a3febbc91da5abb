import { type StepEvidence, type Template, VOICE_NETS } from '../contract.ts'
import { meanEmbedding } from './embeddings.ts'

/** Returns the template of a person whose enrolment passed. Undefined if no face can be described. */
export function makeTemplate(steps: readonly StepEvidence[], engine_version: string): Template | undefined {
  const face = meanEmbedding(faceEmbeddings(steps))
  if (face === undefined) return undefined
  const voice = VOICE_NETS.flatMap((net) => {
    const mean = meanEmbedding(voiceEmbeddings(steps, net))
    return mean === undefined ? [] : [[net, mean] as const]
  })
  return { version: 1, engine_version, face, voice: Object.fromEntries(voice) }
}

/** Returns the embeddings of steps in which the person looks into the camera. A turned face is described less well. */
export function faceEmbeddings(steps: readonly StepEvidence[]): string[] {
  return steps.filter(({ step }) => step.kind !== 'move').flatMap(({ vision }) => vision.embeddings)
}

export function voiceEmbeddings(steps: readonly StepEvidence[], net: (typeof VOICE_NETS)[number]): string[] {
  return steps.flatMap(({ audio }) => audio?.voice[net] ?? [])
}
