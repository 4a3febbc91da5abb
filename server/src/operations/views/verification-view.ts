import { ID_PREFIXES, LEVELS, type VerificationPurpose, type VerificationView } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { BUILTIN_PROVIDER } from '../../domain/verification/provider-choice.ts'
import type { CaptureJudgement } from '../../verification/biometric-engine.ts'
import type { ExternalLevel } from '../../verification/external/port.ts'

/** A modality as judged by the engine or reported by an external provider. */
type JudgedModality = Omit<CaptureJudgement['modalities'][number], 'name'> & {
  readonly name: VerificationView['modalities'][number]['name']
}

export interface ExternalJudgement {
  readonly provider: string
  readonly level: ExternalLevel
  /** The check in the registry, which shows whether the decision is still valid. */
  readonly check_id: string
  /** Why it is not a pass, in plain words. */
  readonly reasons: readonly string[]
}

/** What the registry stores about a judged capture. Its length reveals nothing about `duress`. */
export interface VerificationDocument {
  readonly session_id: string
  /** Number of the capture within a hosted session. Absent for the first. */
  readonly opening?: number | undefined
  readonly nonce_hash: string
  /** Digest of the call that this answered. */
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
  /** What an external provider decided, if one did. */
  readonly external?: ExternalJudgement | undefined
  /** The approval that the person was verified for. */
  readonly approval_id?: string | undefined
  /** Whether the person showed their sign of coercion. */
  readonly duress: 0 | 1
}

/**
 * Returns the ID of a session's verification. Both share the random part of their IDs. Further captures of a session
 * add their number.
 */
export function verificationIdOf(session_id: string, opening = 1): string {
  const random = session_id.slice(ID_PREFIXES.verification_session.length)
  return `${ID_PREFIXES.verification}${random}${opening === 1 ? '' : `_${opening}`}`
}

/**
 * Returns a verification as the API shows it. Only operators, auditors and local callers see numbers: other callers
 * could use them to optimize their attempts.
 */
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
