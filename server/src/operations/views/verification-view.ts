import { ID_PREFIXES, LEVELS, type VerificationPurpose, type VerificationView } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { BUILTIN_PROVIDER } from '../../domain/verification/provider-choice.ts'
import type { CaptureJudgement } from '../../verification/biometric-engine.ts'
import type { ExternalLevel } from '../../verification/external/port.ts'

/** As the engine judges, or as an external provider says. */
type JudgedModality = Omit<CaptureJudgement['modalities'][number], 'name'> & {
  readonly name: VerificationView['modalities'][number]['name']
}

export interface ExternalJudgement {
  readonly provider: string
  readonly level: ExternalLevel
  /** The check in the registry, which says whether the decision still stands. */
  readonly check_id: string
  /** Why it is not a pass, in plain words. */
  readonly reasons: readonly string[]
}

/** What the registry stores about a judged capture. Its length tells nothing about `duress`. */
export interface VerificationDocument {
  readonly session_id: string
  /** Which capture of a hosted session it was. Absent for the first. */
  readonly opening?: number | undefined
  readonly nonce_hash: string
  /** Digest of the call that was answered with this. */
  readonly fingerprint: string
  readonly purpose: VerificationPurpose
  readonly human_ref: string
  readonly decision: CaptureJudgement['decision']
  readonly modalities: readonly JudgedModality[]
  readonly score: number
  readonly evidence_hash: string
  readonly engine_version: string
  readonly attempts_left: number
  readonly verified_at: string
  /** What an external provider decided, where one did. */
  readonly external?: ExternalJudgement | undefined
  /** The approval that the person was verified for. */
  readonly approval_id?: string | undefined
  /** Whether the person showed their sign of coercion. */
  readonly duress: 0 | 1
}

/** A session and its verification share the random part of their ids. Further captures of a session add their number. */
export function verificationIdOf(session_id: string, opening = 1): string {
  const random = session_id.slice(ID_PREFIXES.verification_session.length)
  return `${ID_PREFIXES.verification}${random}${opening === 1 ? '' : `_${opening}`}`
}

/** Numbers are for operators and auditors: a caller who sees one could climb it. */
export function verificationView(
  document: VerificationDocument,
  role: Caller['role'],
  withdrawn_at?: string,
): VerificationView {
  const isShownNumbers = role === 'operator' || role === 'auditor' || role === 'local'
  const { session_id, opening, purpose, decision, modalities, score, human_ref, external } = document
  const passed = decision === 'pass'
  const level = external?.level ?? 'L3'
  return {
    verification_id: verificationIdOf(session_id, opening),
    session_id,
    purpose,
    passed,
    decision,
    modalities: modalities.map(({ name, passed, method, reasons, score, measures }) => ({
      name,
      passed,
      method,
      reasons: [...reasons],
      ...(isShownNumbers && { score, measures: { ...measures } }),
    })),
    reasons: [...new Set([...(external?.reasons ?? []), ...modalities.flatMap(({ reasons }) => reasons)])],
    human_ref,
    ...(passed && { assurance_level: level, trust_score: LEVELS[level].base_trust }),
    provider: external?.provider ?? BUILTIN_PROVIDER,
    engine_version: document.engine_version,
    evidence_hash: document.evidence_hash,
    verified_at: document.verified_at,
    ...(withdrawn_at !== undefined && { withdrawn_at }),
    ...(isShownNumbers && { score }),
  }
}
