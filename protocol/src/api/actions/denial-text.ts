import type { AuthzenReason } from './authzen.ts'

/** A tool call that was denied. */
export interface DeniedCall {
  readonly tool: string
  readonly action: string
  readonly resource: string
}

/** What a reason is about: an argument, a limit, a period or a score. */
export interface ReasonDetail {
  readonly reason: string
}

/** Why the call was denied, and the state of the approval if one was requested. */
export interface DenialFacts {
  readonly reasons: readonly string[]
  readonly details?: readonly ReasonDetail[] | undefined
  readonly denial_id?: string | undefined
  readonly approval_id?: string | undefined
  readonly approval_state?: 'pending' | 'approved' | 'denied' | 'expired' | undefined
}

const ADVICE: Readonly<Record<AuthzenReason, string>> = {
  subject_unknown: 'The subject is not an agent or a token that this service knows.',
  subject_mismatch: 'The token belongs to another agent.',
  token_required: 'Name the token of the agent in subject.properties.vat_jti.',
  token_revoked: 'The token was revoked. Ask the person who granted it for a new one.',
  token_suspended: 'The token is suspended. Ask the person who granted it, or an operator, to resume it.',
  agent_suspended:
    'The agent is suspended. An operator can resume it, and so can a developer if a developer suspended it.',
  token_expired: 'The token has expired. Ask for a new one.',
  token_not_yet_valid: 'The token is not valid yet.',
  record_closed:
    'The action record of this request was cancelled or has expired, and with it the permission. Ask again with another Idempotency-Key.',
  action_not_in_scope:
    'The token does not allow this action. Ask the person who granted it for a token that does.',
  resource_not_in_scope:
    'The token does not cover this resource. Ask the person who granted it for a token that does.',
  argument_not_allowed:
    'The token does not allow these arguments. Change them, or ask the person who granted it for other limits.',
  outside_hours: 'The token works only during certain hours. Try again then.',
  budget_exceeded:
    'The budget is used up, or the spend is more than the token has left or allows per action. Ask for less, or ask the person who granted the token for a larger budget. GET /v1/vat/tokens/{jti}/budget shows what is left.',
  period_budget_exceeded:
    'The spend is more than is left in this period. Ask for less, or try again when the next period begins (resets_at).',
  action_limit: 'The token has reached its maximum number of actions.',
  rate_limit: 'Too many actions in a short time. Wait, then try again.',
  reputation_too_low:
    'The gate_score of the agent is lower than the token requires. It rises with actions that resource servers observe and that people rate well; what the agent reports itself counts little.',
  vouch_score_too_low:
    'Too few people vouch for the agent. Ask people whom verified people vouch for to vouch for it (POST /v1/vat/trust/vouches); GET /v1/vat/trust/scores/{subject}?explain=1 shows what the score rests on.',
  approval_denied:
    'A person denied this action. Do not try it again, nor with small changes: after five denials in a row, your requests reach no person for a while.',
  approval_limit_root:
    'Too many requests for approval are open: 50 below this root token, or 25 of one agent that it delegated to. Wait until a person has decided some.',
  approval_limit_person:
    'The person has 100 requests for approval open, which is the limit. Wait until they have decided some.',
  approval_required: 'A person must approve this action first.',
}

/** A newer service can send reasons that have no advice here. */
const adviceFor = new Map<string, string>(Object.entries(ADVICE))

/** Advice for a denial reason. Empty if the reason is unknown. */
export function adviceOn(reason: string | undefined): string {
  return reason === undefined ? '' : (adviceFor.get(reason) ?? '')
}

/**
 * A sentence with every reason for a refusal and its details, followed by advice for the first reason, which is the
 * most final.
 */
export function withAdvice(
  sentence: string,
  reasons: readonly string[],
  details: readonly ReasonDetail[] = [],
): string {
  return `${sentence}: ${reasonsWithDetails(reasons, details)}. ${adviceOn(reasons[0])}`.trimEnd()
}

/** Each reason with the members of its first detail, such as `argument_not_allowed (path: /amount, rule: max)`. */
export function reasonsWithDetails(
  reasons: readonly string[],
  details: readonly ReasonDetail[] = [],
): string {
  return reasons
    .map((reason) => `${reason}${membersOf(details.find((detail) => detail.reason === reason))}`)
    .join(', ')
}

function membersOf(detail: ReasonDetail | undefined): string {
  const members = Object.entries(detail ?? {}).filter(([name]) => name !== 'reason')
  const shown = members.map(([name, value]) => `${name}: ${onOneLine(value)}`)
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`
}

/** What a model reads when a call is denied: why, and what would help. */
export function deniedWords(
  call: DeniedCall,
  { reasons, details = [], denial_id, approval_id, approval_state }: DenialFacts,
): string {
  return words(call, [
    `Reasons: ${reasonsWithDetails(reasons, details)}.`,
    ...reasons.map(adviceOn),
    ...(approval_state === 'expired' ? ['The approval was not decided in time.'] : []),
    ...(approval_id === undefined ? [] : [`The approval is ${approval_id}.`]),
    ...(denial_id === undefined ? [] : [`The denial is stored as ${denial_id}.`]),
  ])
}

/** The service refused the request itself: the token is unknown, the credential is invalid, or the rules are wrong. */
export function refusedWords(call: DeniedCall, code: string, message: string): string {
  return words(call, [
    `The authority service refused: ${message} (${code})`,
    'The operator of the guard must fix this. Trying again does not help.',
  ])
}

export function unavailableWords(call: DeniedCall): string {
  return words(call, ['The authority service cannot be reached, so the call was not made. Try again later.'])
}

/** The guard has no rule for the tool, so it did not ask the service. */
export function unmappedWords(tool: string): string {
  return [
    `Not done: ${named(tool)} is not allowed.`,
    'The guard has no rule for a tool of exactly this name. Use the names of tools/list.',
  ].join('\n')
}

function words({ tool, action, resource }: DeniedCall, lines: readonly string[]): string {
  return [`Not done: ${named(tool)} (${named(action)} on ${named(resource)}) is not allowed.`, ...lines]
    .filter((line) => line !== '')
    .join('\n')
}

/** The longest resource that the service accepts. */
const MAX_NAME_LENGTH = 200

/**
 * A name made safe for a sentence. It can come from text that the model has read and that the service has not checked,
 * so it must not look like part of our text. User-defined rules can also return something other than a string.
 */
function named(text: unknown): string {
  return onOneLine(text).replaceAll(' ', '_')
}

function onOneLine(text: unknown): string {
  return String(text)
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
}
