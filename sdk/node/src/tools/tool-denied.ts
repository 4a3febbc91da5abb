import {
  deniedWords,
  refusedWords,
  unavailableWords,
} from '../../../../protocol/src/api/actions/denial-text.ts'
import type { AuthorityDenied } from '../authority.ts'
import { DeputyError, isUnavailable } from '../errors.ts'
import type { Approval } from '../generated/operations.ts'

/** What was not done. */
export interface DeniedTool {
  readonly tool: string
  readonly action: string
  readonly resource: string
}

/** The facts of a denial, for programs. */
export interface ToolDenial extends DeniedTool {
  /**
   * `denied`: the rules said no, and `reasons` says why. `unavailable`: nobody could be asked. Anything else: the service
   * refused to judge at all, with this code.
   */
  readonly code: string
  readonly reasons: readonly string[]
  readonly denial_id?: string | undefined
  readonly approval_id?: string | undefined
  /** How the question to the human ended, if one was waited for. */
  readonly approval_state?: Approval['state'] | undefined
  readonly provenance_ref?: string | undefined
  readonly request_id?: string | undefined
}

/** A tool was not run. The message is what a model is told: why, and what would help. */
export class ToolDenied extends Error {
  readonly denial: ToolDenial

  constructor(message: string, denial: ToolDenial, cause?: unknown) {
    super(message, { cause })
    this.name = 'ToolDenied'
    this.denial = denial
  }
}

/** The rules say no. */
export function deniedTool(
  what: DeniedTool,
  cause: AuthorityDenied,
  approval_state?: Approval['state'],
): ToolDenied {
  const { denial_id, approval_id, decision } = cause
  const reasons = approval_state === 'denied' ? ['approval_denied'] : cause.reasons
  const facts = { reasons, denial_id, approval_id, approval_state, provenance_ref: decision.provenance_ref }
  return new ToolDenied(deniedWords(what, facts), { ...what, code: 'denied', ...facts }, cause)
}

/** The service did not judge: it was not there, or it refused, or the rules of the tool failed. */
export function unjudgedTool(what: DeniedTool, cause: unknown): ToolDenied {
  if (isUnavailable(cause))
    return new ToolDenied(unavailableWords(what), { ...what, code: 'unavailable', reasons: [] }, cause)
  const { code, message, request_id } =
    cause instanceof DeputyError
      ? cause
      : { code: 'internal_error', message: 'the guard failed.', request_id: undefined }
  return new ToolDenied(refusedWords(what, code, message), { ...what, code, reasons: [], request_id }, cause)
}
