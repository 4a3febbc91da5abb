import { lipSync } from '../checks/lip-sync.ts'
import { visionFacts } from '../checks/vision-facts.ts'
import { voiceScore } from '../checks/voice-score.ts'
import { type JudgeRequest, type StepEvidence, type Template, VOICE_NETS } from '../contract.ts'
import { cosine, meanEmbedding } from './embeddings.ts'
import type { CaptureFacts, LipSyncFacts, OperatorNetFacts } from './facts.ts'
import { voiceEmbeddings } from './make-template.ts'

/** Returns the facts in the evidence of a capture. Facts without evidence are undefined. */
export function captureFacts(request: JudgeRequest): CaptureFacts {
  const { steps, template } = request
  const spoken = steps.find(({ step }) => step.kind === 'speak')
  return {
    ...visionFacts(request),
    steps: steps.map(({ step }) => step.kind),
    quality: [...new Set(steps.flatMap(({ quality }) => quality))],
    has_right_digits: spoken?.audio?.heard?.matches,
    voice_match: template && voiceMatch(steps, template),
    lip_sync: spoken && lipSyncFacts(spoken),
    liveness_net: undefined,
    operator_nets: operatorNetFacts(steps),
  }
}

/**
 * Returns the mean scores over all faces and sounds of the capture. Without any, a score is undefined, closing a gate.
 */
function operatorNetFacts(steps: readonly StepEvidence[]): OperatorNetFacts[] {
  const all = steps.flatMap(({ operator_nets = [] }) => operator_nets)
  return [...new Map(all.map((net) => [net.name, net])).values()].map(({ name, role, threshold }) => {
    const scores = all.filter((net) => net.name === name).flatMap((net) => net.scores)
    const score = scores.length === 0 ? undefined : scores.reduce((sum, one) => sum + one, 0) / scores.length
    return { name, role, threshold, score }
  })
}

function lipSyncFacts({ vision, audio }: StepEvidence): LipSyncFacts | undefined {
  const found = audio && lipSync(vision.mouth, audio.loudness)
  return found && { r: found.r, margin: found.margin, speech_ms: audio.speech_ms }
}

/** Returns the score over the nets that described the voice both times. Undefined if none did. */
function voiceMatch(steps: readonly StepEvidence[], template: Template): number | undefined {
  const cosines = VOICE_NETS.flatMap((net) => {
    const [enrolled, heard] = [template.voice[net], meanEmbedding(voiceEmbeddings(steps, net))]
    const match = enrolled && heard ? cosine(enrolled, heard) : undefined
    return match === undefined ? [] : [[net, match] as const]
  })
  return voiceScore(Object.fromEntries(cosines))
}
