import {
  deniedWords,
  refusedWords,
  unavailableWords,
} from '../../../../protocol/src/api/actions/denial-text.ts'
import { CanonicalError } from '../../../../protocol/src/encoding/canonical.ts'
import { INEXACT_NUMBER } from '../../../../protocol/src/encoding/exact-number.ts'
import type { AuthorityDenied } from '../actions/action.ts'
import { DeputyError, isUnavailable } from '../errors.ts'
import type { Approval, DenialDetail } from '../generated/operations.ts'

/** The call that was not made. */
export interface DeniedTool {
  readonly tool: string
  readonly action: string
  readonly resource: string
}

/** The facts of a denial, for programs. */
export interface ToolDenial extends DeniedTool {
  /**
   * `denied`: the rules deny the call, and `reasons` says why. `unavailable`: the service did not answer. Other values are
   * error codes of the service, which made no decision.
   */
  readonly code: string
  readonly reasons: readonly string[]
  /** Which argument, limit, period or score a reason is about. */
  readonly details?: readonly DenialDetail[] | undefined
  readonly denial_id?: string | undefined
  readonly approval_id?: string | undefined
  /** The final state of the approval request, if the call waited for one. */
  readonly approval_state?: Approval['state'] | undefined
  /** The note of the person who denied the approval. */
  readonly note?: string | undefined
  readonly provenance_ref?: string | undefined
  readonly request_id?: string | undefined
}

/** A tool was not run. The message is for the model: it says why and what would help. */
export class ToolDenied extends Error {
  readonly denial: ToolDenial

  constructor(message: string, denial: ToolDenial, cause?: unknown) {
    super(message, { cause })
    this.name = 'ToolDenied'
    this.denial = denial
  }
}

/** Returns the denial of a call that the rules deny. */
export function deniedTool(what: DeniedTool, cause: AuthorityDenied): ToolDenied {
  const { reasons, details, denial_id, approval_id, approval_state, note, decision } = cause
  const { provenance_ref } = decision
  const facts = { reasons, details, denial_id, approval_id, approval_state, note, provenance_ref }
  return new ToolDenied(deniedWords(what, facts), { ...what, code: 'denied', ...facts }, cause)
}

/** Returns the denial of an undecided call: the service was unavailable or returned an error, or a tool rule threw. */
export function unjudgedTool(what: DeniedTool, cause: unknown): ToolDenied {
  if (isUnavailable(cause))
    return new ToolDenied(unavailableWords(what), { ...what, code: 'unavailable', reasons: [] }, cause)
  const { code, message, request_id } = cause instanceof DeputyError ? cause : ownFailure(cause)
  return new ToolDenied(refusedWords(what, code, message), { ...what, code, reasons: [], request_id }, cause)
}

function ownFailure(cause: unknown) {
  const request_id = undefined
  if (cause instanceof CanonicalError) {
    const message = cause.message === INEXACT_NUMBER ? INEXACT_NUMBER : 'the arguments have no JSON form.'
    return { code: 'arguments_not_bound', message, request_id }
  }
  return { code: 'internal_error', message: 'the guard failed.', request_id }
}
