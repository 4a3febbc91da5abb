import {
  type CaptureJudgement,
  type Decision,
  type JudgeRequest,
  MODALITIES,
  type Modality,
  type ModalityResult,
} from '../contract.ts'
import { captureFacts } from './capture-facts.ts'
import type { CaptureFacts } from './facts.ts'
import { type Gate, gatesOf, type JudgeRules, REPLACED_BY_PASSKEY } from './gates.ts'
import { measuresOf } from './measures.ts'
import { methodOf } from './methods.ts'
import { CAPTURE_REASONS, type CaptureReason } from './reasons.ts'
import { type SoftValues, softScore } from './soft-score.ts'
import { LIP_SYNC_MARGIN, SOFT_PASS, SOFT_REVIEW, VOICE_REVIEW } from './thresholds.ts'

/** Judges a capture from its evidence alone: the same evidence gives the same judgement, on any node. */
export function judgeCapture(request: JudgeRequest): CaptureJudgement {
  const rules: JudgeRules = {
    is_verify: request.template !== undefined,
    accommodations: request.accommodations,
    has_passkey: request.has_passkey,
  }
  // The sign of coercion is not among the facts, so it cannot change anything else.
  return {
    ...judgeFacts(captureFacts(request), rules),
    duress: request.steps.some(({ duress }) => duress),
  }
}

export function judgeFacts(facts: CaptureFacts, rules: JudgeRules): Omit<CaptureJudgement, 'duress'> {
  const score = softScore(softValues(facts, rules))
  const gates = gatesOf(facts, rules)
  const findings = [...gates.filter(isClosed), ...softFindings(facts, rules, score)]
  return {
    decision: decisionOf(findings, facts),
    modalities: MODALITIES.map((name) => ({
      ...modalityResult(name, findings),
      method: methodOf(name, facts, isReplaced(name, rules)),
      score: lowestClearness(gates, name),
      measures: measuresOf(name, facts),
    })),
    score,
  }
}

/** A reason why a capture did not pass outright. */
interface Finding {
  readonly modality: Modality
  readonly reason: CaptureReason
  readonly outcome: 'failed' | 'missing' | 'review'
}

function isClosed(gate: Gate): gate is Gate & Finding {
  return gate.outcome !== 'passed'
}

/** Decides by the worst finding. Something missing may be repeated only if the pictures or the sound explain it. */
function decisionOf(findings: readonly Finding[], { quality }: CaptureFacts): Decision {
  const has = (outcome: Finding['outcome']) => findings.some((finding) => finding.outcome === outcome)
  if (has('failed') || (has('missing') && quality.length === 0)) return 'fail'
  if (quality.length > 0) return 'retry'
  return has('review') ? 'review' : 'pass'
}

function softValues(facts: CaptureFacts, { accommodations }: JudgeRules): SoftValues {
  const hasVoice = !accommodations.includes('no_voice')
  return {
    voice: hasVoice ? facts.voice_match : undefined,
    lip_sync: hasVoice ? facts.lip_sync?.r : undefined,
    flash: accommodations.includes('no_flash') ? undefined : facts.flash_r,
    liveness_net: facts.liveness_net,
    device: facts.is_virtual_camera ? 0 : 1,
  }
}

function softFindings(facts: CaptureFacts, { accommodations }: JudgeRules, score: number): Finding[] {
  const hasVoice = !accommodations.includes('no_voice')
  const isForeign = hasVoice && facts.voice_match !== undefined && !(facts.voice_match >= VOICE_REVIEW)
  const weak: Finding = {
    modality: hasVoice ? 'lip_sync' : 'deepfake_detection',
    reason: 'weak_evidence',
    outcome: score >= SOFT_REVIEW ? 'review' : 'failed',
  }
  const isElsewhere = hasVoice && facts.lip_sync !== undefined && !(facts.lip_sync.margin >= LIP_SYNC_MARGIN)
  return [
    ...(isForeign ? [FOREIGN_VOICE] : []),
    ...(isElsewhere ? [OUT_OF_SYNC] : []),
    // Not `score < SOFT_PASS`: a score that is not a number must not pass.
    ...(score >= SOFT_PASS ? [] : [weak]),
  ]
}

const FOREIGN_VOICE: Finding = { modality: 'speech_match', reason: 'voice_differs', outcome: 'review' }

const OUT_OF_SYNC: Finding = { modality: 'lip_sync', reason: 'not_in_sync', outcome: 'review' }

function modalityResult(
  name: Modality,
  findings: readonly Finding[],
): Pick<ModalityResult, 'name' | 'passed' | 'reasons'> {
  const own = findings.filter(({ modality }) => modality === name)
  return {
    name,
    passed: own.length === 0,
    reasons: [...new Set(own.map(({ reason }) => CAPTURE_REASONS[reason]))],
  }
}

function isReplaced(name: Modality, { accommodations }: JudgeRules): boolean {
  return accommodations.some((accommodation) => REPLACED_BY_PASSKEY[accommodation].includes(name))
}

function lowestClearness(gates: readonly Gate[], name: Modality): number {
  const own = gates.filter(({ modality }) => modality === name)
  return own.reduce((lowest, { clearness }) => Math.min(lowest, clearness), 1)
}
