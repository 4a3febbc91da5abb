import { visionFacts } from '../checks/vision-facts.ts'
import type { JudgeRequest } from '../contract.ts'
import type { CaptureFacts } from './facts.ts'

/** The facts in the evidence of a capture. Evidence that is absent leaves its facts undefined. */
export function captureFacts(request: JudgeRequest): CaptureFacts {
  const { steps } = request
  const spoken = steps.find(({ step }) => step.kind === 'speak')
  return {
    ...visionFacts(request),
    steps: steps.map(({ step }) => step.kind),
    quality: [...new Set(steps.flatMap(({ quality }) => quality))],
    has_right_digits: spoken?.audio?.heard?.matches,
    voice_match: undefined,
    lip_sync: undefined,
    liveness_net: undefined,
    operator_nets: [],
  }
}
