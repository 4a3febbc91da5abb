import {
  type Decision,
  type Judgement,
  type JudgeRequest,
  MODALITIES,
  type Modality,
  type ModalityResult,
} from '../contract.ts'
import { captureFacts } from './capture-facts.ts'
import type { CaptureFacts } from './facts.ts'
import { closedGates, type GateFinding, type GateRules, REPLACED_BY_PASSKEY } from './gates.ts'
import { measuresOf } from './measures.ts'
import { methodOf } from './methods.ts'
import { REASONS } from './reasons.ts'
import { type SoftValues, softScore } from './soft-score.ts'
import { SOFT_PASS, SOFT_REVIEW, VOICE_REVIEW } from './thresholds.ts'

/** Judges a capture from its evidence alone: the same evidence gives the same judgement, on any node. */
export function judge(request: JudgeRequest): Judgement {
  return {
    ...judgeFacts(captureFacts(request), {
      is_verify: request.template !== undefined,
      accommodations: request.accommodations,
      has_passkey: request.has_passkey,
    }),
    duress: request.steps.some(({ duress }) => duress),
  }
}

/** Whatever the sign of coercion, the rest of the judgement is the same: it is not among the facts. */
export function judgeFacts(facts: CaptureFacts, rules: GateRules): Omit<Judgement, 'duress'> {
  const score = softScore(softValues(facts, rules))
  const findings = [...closedGates(facts, rules), ...softFindings(facts, rules, score)]
  return {
    decision: decisionOf(findings, facts),
    modalities: MODALITIES.map((name) => modalityResult(name, findings, facts, rules)),
    score,
  }
}

type Finding = Omit<GateFinding, 'outcome'> & { readonly outcome: GateFinding['outcome'] | 'review' }

/** The worst finding decides. What is missing may be repeated only if the pictures or the sound explain why. */
function decisionOf(findings: readonly Finding[], { quality }: CaptureFacts): Decision {
  const has = (outcome: Finding['outcome']) => findings.some((finding) => finding.outcome === outcome)
  if (has('failed')) return 'fail'
  if (has('missing')) return quality.length > 0 ? 'retry' : 'fail'
  if (quality.length > 0) return 'retry'
  return has('review') ? 'review' : 'pass'
}

function softValues(facts: CaptureFacts, { accommodations }: GateRules): SoftValues {
  const hasVoice = !accommodations.includes('no_voice')
  return {
    voice: hasVoice ? facts.voice_match : undefined,
    lip_sync: hasVoice ? facts.lip_sync?.r : undefined,
    flash: accommodations.includes('no_flash') ? undefined : facts.flash_r,
    liveness_net: facts.liveness_net,
    device: facts.is_virtual_camera ? 0 : 1,
  }
}

function softFindings(facts: CaptureFacts, rules: GateRules, score: number): Finding[] {
  const hasVoice = !rules.accommodations.includes('no_voice')
  const isForeign = hasVoice && facts.voice_match !== undefined && facts.voice_match < VOICE_REVIEW
  const isWeak = !(score >= SOFT_PASS)
  return [
    ...(isForeign ? [{ modality: 'speech_match', reason: 'voice_differs', outcome: 'review' } as const] : []),
    ...(isWeak
      ? [
          {
            modality: hasVoice ? 'lip_sync' : 'deepfake_detection',
            reason: 'weak_evidence',
            outcome: score >= SOFT_REVIEW ? 'review' : 'failed',
          } as const,
        ]
      : []),
  ]
}

function modalityResult(
  name: Modality,
  findings: readonly Finding[],
  facts: CaptureFacts,
  rules: GateRules,
): ModalityResult {
  const own = findings.filter(({ modality }) => modality === name)
  const reasons = [...new Set(own.map(({ reason }) => REASONS[reason]))]
  const measures = measuresOf(name, facts)
  return {
    name,
    passed: own.length === 0,
    method: methodOf(name, facts, isReplaced(name, rules)),
    reasons,
    score: own.length === 0 ? 1 : 0,
    measures,
  }
}

function isReplaced(name: Modality, { accommodations }: GateRules): boolean {
  return accommodations.some((accommodation) => REPLACED_BY_PASSKEY[accommodation].includes(name))
}
