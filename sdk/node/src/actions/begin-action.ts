import type { CallOptions } from '../calls/call-types.ts'
import type { ReadToken } from '../calls/token-like.ts'
import { isDeputyError } from '../errors.ts'
import type { AllowedDecision, Approval, AuthorizeInput, Methods } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import { type ActionSpan, CANCELLED, errorType, factsOf, noSpan, type Tracing } from '../tracing.ts'
import {
  AuthorityDenied,
  type BegunAction,
  checkMetadata,
  completion,
  type Outcome,
  RUN_OPTIONS,
  type RunOptions,
  readOutcome,
} from './action.ts'
import type { AuthorizeDecision } from './authorize-decision.ts'
import { currentAction, duringAction } from './current-action.ts'
import { resultHash } from './result-hash.ts'
import { roundedUsd } from './rounded-usd.ts'

/** An agent with its token and the connection it calls with. */
export interface ActingAgent {
  readonly token: ReadToken
  readonly client: Methods
  readonly tracing: Tracing | undefined
}

interface NamedAction {
  readonly action: string
  readonly resource: string
}

/** The longest wait of one `getApproval` call. */
const APPROVAL_POLL_S = 25

/** Asks the service to authorize an action. Throws `AuthorityDenied` if it is denied. */
export async function beginAction(
  agent: ActingAgent,
  named: NamedAction,
  given: RunOptions,
): Promise<BegunAction> {
  checkOptions(given, RUN_OPTIONS)
  checkWait(given.wait_for_approval)
  checkMetadata(given.metadata)
  const options = { ...given, spend_usd: roundedUsd(given.spend_usd) }
  const span = beginSpan(agent, named, options)
  try {
    const decision = await span.during(() => allowedDecision(agent, named, options, span))
    return begunAction(agent.client, decision, options.spend_usd, span)
  } catch (error) {
    span.end(errorType(error))
    throw error
  }
}

/** Throws a TypeError for any other value: a string such as 'no' would wait until the request expires. */
function checkWait(wait: unknown): void {
  if (wait === undefined || typeof wait === 'boolean' || (typeof wait === 'number' && wait >= 0)) return
  throw new TypeError(`wait_for_approval must be true, false or milliseconds. It is ${String(wait)}.`)
}

function beginSpan(
  { token, tracing }: ActingAgent,
  { action, resource }: NamedAction,
  { tool = action, tool_call_id }: RunOptions,
): ActionSpan {
  const { jti: vat_jti, agent_id, workflow: provenance_ref } = token
  return (
    tracing?.begin({ tool, action, resource, vat_jti, agent_id, provenance_ref, tool_call_id }) ?? noSpan()
  )
}

async function allowedDecision(
  agent: ActingAgent,
  named: NamedAction,
  options: RunOptions,
  span: ActionSpan,
): Promise<AllowedDecision> {
  const { decision, approval } = await decided(agent, named, options, span)
  if (decision.authorized) {
    span.tell(factsOf(decision))
    return decision
  }
  const denied = new AuthorityDenied(named.action, named.resource, decision, approval)
  span.tell({ ...factsOf(decision), reasons: denied.reasons })
  throw denied
}

interface Decided {
  readonly decision: AuthorizeDecision
  /** The approval that the call waited for, if it wasn't given. */
  readonly approval?: Approval
}

/** Returns the decision, or the one after the approval if the action requires one and the caller waits for it. */
async function decided(
  { token, client }: ActingAgent,
  { action, resource }: NamedAction,
  options: RunOptions,
  span: ActionSpan,
): Promise<Decided> {
  const { spend_usd, metadata, approval_id: given, signal, wait_for_approval = false } = options
  const request = {
    vat_jti: token.jti,
    action,
    resource,
    spend_usd,
    approval_id: given,
    metadata,
    parent_aar_id: parentOf(options, token.workflow),
  }
  const headers = { ...span.headers() }
  const { decision, parent_aar_id } = await authorizeWithin(client, request, options, { signal, headers })
  const { authorized, approval_id } = decision
  if (authorized || approval_id === undefined || wait_for_approval === false) return { decision }
  span.tell({ approval_id })
  const approval = await awaitedApproval(client, approval_id, wait_for_approval, signal)
  if (approval.state !== 'approved') return { decision, approval }
  const approved = { ...request, parent_aar_id, approval_id }
  return { decision: await authorize(client, approved, { signal, headers }) }
}

/**
 * Authorizes the action. If only the ID of the token is known, the surrounding action may belong to another workflow.
 * The service then refuses it as the parent, and the action is authorized without one.
 */
async function authorizeWithin(
  client: Methods,
  request: Omit<AuthorizeInput, 'dry_run'>,
  { parent }: RunOptions,
  options: CallOptions,
): Promise<{ readonly decision: AuthorizeDecision; readonly parent_aar_id: string | undefined }> {
  const { parent_aar_id } = request
  try {
    return { decision: await authorize(client, request, options), parent_aar_id }
  } catch (error) {
    const isImplied = parent === undefined && parent_aar_id !== undefined
    if (!isImplied || !isDeputyError(error, 'parent_record_unknown')) throw error
    const alone = { ...request, parent_aar_id: undefined }
    return { decision: await authorize(client, alone, options), parent_aar_id: undefined }
  }
}

/** Authorizes the action. If the caller aborts, an action that is allowed afterwards is cancelled. */
async function authorize(
  client: Methods,
  request: Omit<AuthorizeInput, 'dry_run'>,
  { signal, headers }: CallOptions,
): Promise<AuthorizeDecision> {
  signal?.throwIfAborted()
  const authorizing = client.authorize(request, { headers })
  try {
    return await untilAborted(authorizing, signal)
  } catch (error) {
    // If the cancellation fails, the record expires by itself.
    if (signal?.aborted === true)
      authorizing.then((decision) => cancelRecord(client, decision)).catch(() => undefined)
    throw error
  }
}

async function cancelRecord(client: Methods, { aar_id }: AuthorizeDecision): Promise<void> {
  if (aar_id !== undefined) await client.cancelRecord({ id: aar_id })
}

/** Returns the approval once a person has decided it, it has expired, or the time is up. */
export async function awaitedApproval(
  client: Methods,
  id: string,
  wait_for_approval: true | number,
  signal: AbortSignal | undefined,
): Promise<Approval> {
  const ends_at_ms = typeof wait_for_approval === 'number' ? Date.now() + wait_for_approval : Infinity
  for (;;) {
    const left_s = Math.ceil((ends_at_ms - Date.now()) / 1000)
    const wait = Math.max(0, Math.min(APPROVAL_POLL_S, left_s))
    const approval = await client.getApproval({ id, wait }, { signal })
    if (approval.state !== 'pending' || Date.now() >= ends_at_ms) return approval
  }
}

function begunAction(
  client: Methods,
  decision: AllowedDecision,
  estimate_usd: number | undefined,
  span: ActionSpan,
): BegunAction {
  const { aar_id, provenance_ref, trust_score } = decision
  let given: Outcome = {}
  let isOver = false
  const ending = (endRecord: () => Promise<unknown>, error_type?: string) => {
    isOver = true
    return endSpan(span, endRecord, error_type)
  }
  const complete = (result: string, result_hash?: string) => {
    span.tell({ spend_usd: given.spend_usd ?? estimate_usd })
    const outcome = { id: aar_id, ...completion({ result, ...given }), result_hash }
    return client.completeRecord(outcome, { headers: { ...span.headers() } })
  }
  return {
    aar_id,
    provenance_ref,
    trust_score,
    outcome: (outcome) => {
      given = { ...given, ...readOutcome(outcome) }
    },
    during: (work) => span.during(() => duringAction({ aar_id, provenance_ref, isOver: () => isOver }, work)),
    succeed: (value) => ending(() => complete('success', resultHash(value))),
    fail: (error) => ending(() => complete('error'), errorType(error)),
    giveUp: () => ending(() => complete('cancelled'), CANCELLED),
    cancel: () => ending(() => cancelRecord(client, decision), CANCELLED),
  }
}

/** Ends the record, then the span, even if ending the record fails. */
async function endSpan(
  span: ActionSpan,
  endRecord: () => Promise<unknown>,
  error_type?: string,
): Promise<void> {
  try {
    await span.during(endRecord)
    span.end(error_type)
  } catch (error) {
    span.end(error_type ?? 'CompletionFailed')
    throw error
  }
}

function parentOf({ parent }: RunOptions, workflow: string | undefined): string | undefined {
  if (parent !== undefined) return typeof parent === 'string' ? parent : parent.aar_id
  const around = currentAction()
  // The service accepts only a parent from the same workflow.
  const isElsewhere = around !== undefined && workflow !== undefined && around.provenance_ref !== workflow
  return isElsewhere ? undefined : around?.aar_id
}

/** Settles like `promised`, or rejects with the reason of the signal if that comes first. */
function untilAborted<T>(promised: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promised
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promised.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
