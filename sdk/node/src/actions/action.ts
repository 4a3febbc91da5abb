import { withAdvice } from '../../../../protocol/src/api/actions/denial-text.ts'
import { canonicalJson } from '../../../../protocol/src/encoding/canonical.ts'
import { TEXT_FORMATS } from '../../../../protocol/src/encoding/grammar.ts'
import { readJson } from '../../../../protocol/src/encoding/json.ts'
import {
  MAX_METADATA_BYTES,
  MAX_METADATA_MEMBERS,
} from '../../../../protocol/src/encoding/metadata-limits.ts'
import { DeputyError } from '../errors.ts'
import type { Approval, DenialDetail, DeniedDecision } from '../generated/operations.ts'
import { jsonBody } from '../json-body.ts'
import { checkOptions } from '../options.ts'
import { roundedUsd } from './rounded-usd.ts'

/** Facts about an action, given when it begins. */
export interface RunOptions {
  /**
   * The estimated cost, rounded up to micro-dollars. It is reserved while the action runs and spent when it ends, unless
   * `outcome` gives another.
   */
  readonly spend_usd?: number | undefined
  /** Facts of your own, kept with the action record. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** The action that caused this one. Default: the surrounding `run`, if the runtime can track it. */
  readonly parent?: string | { readonly aar_id: string } | undefined
  /** Waits for a person to decide: `true` until the request expires, or a number of milliseconds. */
  readonly wait_for_approval?: boolean | number | undefined
  /** An approval that a person has already given for exactly this action. */
  readonly approval_id?: string | undefined
  /**
   * Stops asking and waiting. If the action is allowed after that, it is cancelled. If the work of `run` throws after that,
   * the result is `cancelled`.
   */
  readonly signal?: AbortSignal | undefined
  /** For traces: the name of the tool, if it differs from the action. */
  readonly tool?: string | undefined
  /** For traces: the model's id for this tool call. */
  readonly tool_call_id?: string | undefined
}

export const RUN_OPTIONS: Record<keyof RunOptions, true> = {
  spend_usd: true,
  metadata: true,
  parent: true,
  wait_for_approval: true,
  approval_id: true,
  signal: true,
  tool: true,
  tool_call_id: true,
}

/** Facts about an action, given when it ends. */
export interface Outcome {
  /** Default: `success`, or `error` if the work throws. */
  readonly result?: string | undefined
  /**
   * Default: the estimate. More than the estimate, beyond the `max_overrun_pct` of the token, marks the record `exceeded`
   * and suspends the token.
   */
  readonly spend_usd?: number | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

type Metadata = Readonly<Record<string, unknown>>

const encoder = new TextEncoder()
const OUTCOME_MEMBERS: Record<keyof Outcome, true> = { result: true, spend_usd: true, metadata: true }

/**
 * Returns the members that are set, with the cost rounded: one that is undefined leaves its default. Throws a TypeError for
 * an unknown member, and for a value that the service would refuse, because by then the work is done. The members of
 * `kept_metadata` are sent too.
 */
export function readOutcome(outcome: Outcome, kept_metadata: Metadata = {}): Outcome {
  checkOptions(outcome, OUTCOME_MEMBERS)
  const { result, spend_usd, metadata } = outcome
  if (result !== undefined) checkResult(result)
  checkMetadata(metadata)
  if (metadata !== undefined) checkMetadataLimits({ ...metadata, ...kept_metadata })
  return {
    ...(result !== undefined && { result }),
    ...(spend_usd !== undefined && { spend_usd: roundedUsd(spend_usd) }),
    ...(metadata !== undefined && { metadata }),
  }
}

/** Throws a TypeError if `metadata` isn't an object. A string or an array would be spread into members. */
export function checkMetadata(metadata: unknown): void {
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
  if (metadata !== undefined && !isObject)
    throw new TypeError(`metadata must be an object. It is ${JSON.stringify(metadata)}.`)
}

function checkResult(result: unknown): void {
  const { check, says } = TEXT_FORMATS.result
  if (typeof result !== 'string' || !check(result))
    throw new TypeError(`result ${says}. It is ${JSON.stringify(result)}.`)
}

function checkMetadataLimits(given: Metadata): void {
  const metadata = sentMetadata(given)
  const count = Object.keys(metadata).length
  if (count > MAX_METADATA_MEMBERS)
    throw new TypeError(`metadata must have at most ${MAX_METADATA_MEMBERS} members. It has ${count}.`)
  const size = encoder.encode(canonicalJson(metadata)).length
  if (size > MAX_METADATA_BYTES)
    throw new TypeError(`metadata must be at most ${MAX_METADATA_BYTES} bytes of JSON. It is ${size}.`)
}

/** Returns the metadata as the service reads it. Throws a TypeError if it would not read it. */
function sentMetadata(metadata: Metadata): Metadata {
  const body = jsonBody({ metadata })
  try {
    return (readJson(body) as { metadata: Metadata }).metadata // as written by the line above
  } catch (cause) {
    throw new TypeError(`metadata can't be sent. ${cause instanceof Error ? cause.message : ''}`, { cause })
  }
}

/** An action that was allowed and is running. */
export interface AllowedAction {
  readonly aar_id: string
  readonly provenance_ref: string
  readonly trust_score: number
  /** Overrides the default result, cost and metadata of the action record. */
  outcome(outcome: Outcome): void
}

/** An action that you end yourself, exactly once. For work that is not a single function call, such as a stream. */
export interface BegunAction extends AllowedAction {
  /** Runs part of the work. Actions started inside name this one as their cause, if the runtime can track it. */
  during<T>(work: () => T): T
  /** Completes the record with `success` (or the result given to `outcome`) and the hash of `value`. */
  succeed(value?: unknown): Promise<void>
  /** Completes the record with `error` (or the result given to `outcome`). Only the name of `error` reaches traces. */
  fail(error?: unknown): Promise<void>
  /** Completes the record with `cancelled`: the work was abandoned and may have had effects. Its cost stays spent. */
  giveUp(): Promise<void>
  /** Cancels the record: the work never started, and nothing is spent. */
  cancel(): Promise<void>
}

/** Why an action was denied. */
export type DenialReason = DeniedDecision['reason']

/** The service denied the action. Nothing was done, and the denial is recorded. `code` is `not_allowed`. */
export class AuthorityDenied extends DeputyError {
  readonly action: string
  readonly resource: string
  readonly reasons: readonly DenialReason[]
  /** Which argument, limit, period or score a reason is about. */
  readonly details: readonly DenialDetail[]
  readonly denial_id: string | undefined
  /** The approval request sent to a person, if the action needs one. */
  readonly approval_id: string | undefined
  /** The state of that request when the wait ended. Undefined if the call did not wait for it. */
  readonly approval_state: Approval['state'] | undefined
  /** The note of the person who denied the request. */
  readonly note: string | undefined
  /** The service's answer, from before the person's decision. */
  readonly decision: DeniedDecision

  constructor(
    action: string,
    resource: string,
    decision: DeniedDecision,
    { state, note }: Partial<Pick<Approval, 'state' | 'note'>> = {},
  ) {
    const reasons = state === 'denied' ? (['approval_denied'] as const) : decision.reasons
    const { details = [], denial_id, approval_id } = decision
    const said = withAdvice(`${action} on ${resource} is not allowed`, reasons, details)
    const sentences = [said, approval_id === undefined ? '' : wayOn(approval_id, state)]
    // A decision is a response with status 200. Its members go where an error response has them.
    super('not_allowed', sentences.filter((sentence) => sentence !== '').join(' '), {
      status: 200,
      problem: { code: 'not_allowed', reasons, details, denial_id, approval_id },
    })
    this.name = 'AuthorityDenied'
    this.approval_state = state
    this.note = note
    this.action = action
    this.resource = resource
    this.reasons = reasons
    this.details = details
    this.denial_id = denial_id
    this.approval_id = approval_id
    this.decision = decision
  }
}

/** Returns a sentence on what became of an approval, or on how to wait for it. */
function wayOn(approval_id: string, state: Approval['state'] | undefined): string {
  if (state === undefined)
    return `Wait for it with wait_for_approval, or pass approval_id: '${approval_id}' once it is approved.`
  if (state === 'pending') return `${approval_id} is still pending.`
  return state === 'denied' ? '' : `${approval_id} was not decided in time.`
}

/**
 * The work was done, but its action record could not be completed. The record stays pending and then expires. `code` is
 * `completion_failed`, and `cause` says why.
 */
export class CompletionFailed extends DeputyError {
  readonly aar_id: string
  /** The return value of the work. */
  readonly value: unknown

  constructor(aar_id: string, value: unknown, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : '.'
    super(
      'completion_failed',
      `The work was done, but the action record ${aar_id} could not be completed${why}`,
      {
        cause,
      },
    )
    this.name = 'CompletionFailed'
    this.aar_id = aar_id
    this.value = value
  }
}

/** Returns the body of a completion. */
export function completion({ result = 'success', spend_usd, metadata }: Outcome) {
  return { result, spend_usd, metadata }
}

/** The default of `on_incomplete`. */
export function warnIncomplete(error: unknown, aar_id: string): void {
  console.warn(`The action record ${aar_id} could not be completed. It expires automatically.`, error)
}
