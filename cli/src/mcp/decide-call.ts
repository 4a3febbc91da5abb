import { setTimeout } from 'node:timers/promises'
import { boundToolCall } from '@deputize/protocol'
import {
  type Approval,
  AuthorityDenied,
  type AuthorizeDecision,
  type DeniedDecision,
  DeputyError,
  isDeputyError,
  isUnavailable,
  type Methods,
} from '@deputize/sdk'
import { type ActionSpan, errorType, factsOf, NOT_ALLOWED } from '@deputize/sdk/opentelemetry'
import { errorText } from '../start-problems.ts'
import type { CallRecords } from './call-records.ts'
import { type DeniedResult, deniedResult, refusedResult, unavailableResult } from './denied-result.ts'
import type { McpToolCall } from './messages.ts'
import type { MappedTool, ToolMapping } from './tool-mapping.ts'

/** A decision whose span is still open. */
export type OpenDecision =
  | { readonly kind: 'allowed'; readonly aar_id: string | undefined }
  | { readonly kind: 'denied'; readonly result: DeniedResult; readonly error_type: string }
  | { readonly kind: 'cancelled' }

/** A call that waits for a decision. */
export interface PendingCall {
  readonly call: McpToolCall
  readonly rule: MappedTool
  readonly span: ActionSpan
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}

export interface DecidingParts {
  readonly client: Pick<Methods, 'authorize' | 'getApproval'>
  readonly jti: string
  readonly mapping: ToolMapping
  readonly records: CallRecords
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly onWorkflow: (provenance_ref: string) => void
  readonly say: (text: string) => void
}

const POLL_S = 5
/** An approval is given once, so the call that uses it is worth more attempts than others. */
const APPROVED_RETRIES = 6

/** Asks the service about a call, and waits for an approval if the mapping says so. */
export async function decideCall(parts: DecidingParts, pending: PendingCall): Promise<OpenDecision> {
  const { rule, span } = pending
  try {
    const decision = await authorize(parts, pending)
    parts.onWorkflow(decision.provenance_ref)
    const { approval_id } = decision
    if (decision.authorized || approval_id === undefined || rule.approval === 'refuse')
      return await settled(parts, pending, decision)
    span.tell({ approval_id })
    return await afterApproval(parts, pending, decision, approval_id)
  } catch (error) {
    return undecided(parts, pending, error)
  }
}

function authorize(
  { client, jti, mapping, inTurn }: DecidingParts,
  { call, rule, span }: PendingCall,
  approval_id?: string,
): Promise<AuthorizeDecision> {
  const { action, resource, spend_usd } = rule
  const bound = boundToolCall(call.tool, call.arguments, rule.arguments === 'show')
  const metadata = { mcp_server: mapping.server, request: bound }
  const request = { vat_jti: jti, action, resource, spend_usd, metadata, approval_id }
  const headers = { ...span.headers() }
  const retries = approval_id === undefined ? undefined : APPROVED_RETRIES
  return inTurn(() => client.authorize(request, { headers, retries }))
}

/** A call that needs an approval is never let through because the service is unavailable. */
async function afterApproval(
  parts: DecidingParts,
  pending: PendingCall,
  decision: DeniedDecision,
  approval_id: string,
): Promise<OpenDecision> {
  try {
    const approval = await finalApproval(parts, pending, approval_id)
    if (approval === undefined) return { kind: 'cancelled' }
    if (approval.state === 'approved')
      return await settled(parts, pending, await authorize(parts, pending, approval_id))
    return deniedByRules(parts, pending, decision, approval)
  } catch (error) {
    if (pending.signal.aborted) return { kind: 'cancelled' }
    return deniedByError(parts, pending, error)
  }
}

/** The approval request once it is decided or has expired. Undefined if the client stopped waiting. */
async function finalApproval(
  parts: DecidingParts,
  pending: PendingCall,
  id: string,
): Promise<Approval | undefined> {
  const { call, rule, signal, progress } = pending
  parts.say(`${call.tool} is waiting for the approval ${id}.`)
  while (!signal.aborted) {
    progress(`Waiting for a person to approve ${rule.action} on ${rule.resource} (${id}).`)
    const approval = await polledApproval(parts, pending, id)
    if (approval !== undefined && approval.state !== 'pending') return approval
  }
  return undefined
}

/** Undefined, after a pause, if the service does not answer: people decide slowly, and it usually comes back. */
async function polledApproval(
  { client, say }: DecidingParts,
  { call, span, signal }: PendingCall,
  id: string,
): Promise<Approval | undefined> {
  try {
    return await client.getApproval({ id, wait: POLL_S }, { signal, headers: { ...span.headers() } })
  } catch (error) {
    if (!isUnavailable(error) && !isDeputyError(error, 'rate_limited')) throw error
    say(`${call.tool} is still waiting for the approval ${id}: ${errorText(error)}`)
    await setTimeout(POLL_S * 1000, undefined, { signal })
    return undefined
  }
}

/** The decision of the service. If the client stopped waiting, an allowed action is cancelled. */
async function settled(
  parts: DecidingParts,
  pending: PendingCall,
  decision: AuthorizeDecision,
): Promise<OpenDecision> {
  const { rule, span, signal } = pending
  if (!decision.authorized) return deniedByRules(parts, pending, decision)
  span.tell({ ...factsOf(decision), spend_usd: rule.spend_usd })
  const { aar_id } = decision
  if (!signal.aborted) return { kind: 'allowed', aar_id }
  await parts.records.cancel(aar_id, span)
  return { kind: 'cancelled' }
}

/** `approval` is the awaited request, which wasn't approved. */
function deniedByRules(
  { say }: DecidingParts,
  { call, rule, span }: PendingCall,
  decision: DeniedDecision,
  approval?: Approval,
): OpenDecision {
  const denied = new AuthorityDenied(rule.action, rule.resource, decision, approval)
  span.tell({ ...factsOf(decision), reasons: denied.reasons })
  say(`${call.tool} is denied: ${denied.reasons.join(', ')}.`)
  return { kind: 'denied', result: deniedResult(call, rule, denied), error_type: NOT_ALLOWED }
}

function undecided(parts: DecidingParts, pending: PendingCall, error: unknown): OpenDecision {
  const { mapping, say } = parts
  // Callers can cause an overload, so it is no reason to let calls pass.
  const isAway = isUnavailable(error) && !isDeputyError(error, 'overloaded')
  if (!isAway || mapping.on_unavailable === 'deny') return deniedByError(parts, pending, error)
  say(`${pending.call.tool} is allowed without a record: the service is unavailable.`)
  return { kind: 'allowed', aar_id: undefined }
}

function deniedByError({ say }: DecidingParts, { call, rule }: PendingCall, error: unknown): OpenDecision {
  const result = isUnavailable(error)
    ? unavailableResult(call, rule)
    : refusedResult(call, rule, error instanceof DeputyError ? error : undefined)
  say(`${call.tool} is denied: ${errorText(error)}`)
  return { kind: 'denied', result, error_type: errorType(error) }
}
