import type { Approval, AuthorizeResponse, DeputyError } from '@deputy/sdk'
import type { ToolCall } from './messages.ts'
import type { ToolRule } from './tool-rules.ts'

/** A no in the form of a tool result, so that the model reads it and can go another way. */
export interface DeniedResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly isError: true
  readonly _meta: Readonly<Record<string, unknown>>
  readonly resultType?: 'complete'
}

/** Programs find the facts here. Not in structuredContent, which has to fit the output schema of the tool. */
export const DENIAL_META = 'deputy/denial'

const ADVICE: Readonly<Record<string, string>> = {
  token_revoked: 'The token was revoked. Only a new one from its human helps.',
  token_suspended: 'The token is suspended until its human resumes it.',
  agent_suspended: 'The agent is suspended until somebody resumes it.',
  token_expired: 'The token has expired. Ask for a new one.',
  token_not_yet_valid: 'The token is not valid yet.',
  action_not_in_scope: 'The token does not allow this action. Ask its human for a token that does.',
  resource_not_in_scope: 'The token does not cover this resource. Ask its human for a token that does.',
  outside_hours: 'The token is good at certain hours only. Try again then.',
  budget_exceeded: 'The budget is used up. Ask its human for a larger one.',
  action_limit: 'The token allows no more actions.',
  rate_limit: 'Too many actions in a short time. Wait, then try again.',
  reputation_too_low: 'The reputation of the agent is too low for this.',
  approval_denied: 'A human said no. Do not try the same again.',
  approval_required: 'A human has to approve it first.',
}

/** The rules say no; `state` is how the question to the human ended, if one was waited for. */
export function deniedResult(
  call: ToolCall,
  rule: ToolRule,
  decision: AuthorizeResponse,
  state?: Approval['state'],
): DeniedResult {
  const { denial_id, approval_id, provenance_ref } = decision
  const reasons = state === 'denied' ? ['approval_denied'] : (decision.reasons ?? [])
  const facts = { reasons, denial_id, approval_id, approval_state: state, provenance_ref }
  const lines = [
    `Reasons: ${reasons.join(', ')}.`,
    ...reasons.map((reason) => ADVICE[reason] ?? ''),
    ...(state === 'expired' ? ['Nobody decided in time.'] : []),
    ...(approval_id === undefined ? [] : [`The question to the human is ${approval_id}.`]),
    ...(denial_id === undefined ? [] : [`This denial is kept as ${denial_id}.`]),
  ]
  return result(call, rule, lines, facts)
}

/** The service refused to judge at all: the token is unknown, the credential does not fit, the mapping is wrong. */
export function refusedResult(call: ToolCall, rule: ToolRule, error: DeputyError | undefined): DeniedResult {
  const code = error?.code ?? 'internal_error'
  const lines = [
    `The authority service refused: ${error?.message ?? 'the guard failed.'} (${code})`,
    'Whoever runs the guard can mend this; trying again cannot.',
  ]
  return result(call, rule, lines, { code, request_id: error?.request_id })
}

export function unavailableResult(call: ToolCall, rule: ToolRule): DeniedResult {
  const lines = [
    'The authority service cannot be reached, and nothing is done without asking it. Try again later.',
  ]
  return result(call, rule, lines, { code: 'unavailable' })
}

function result(
  { tool, has_result_types }: ToolCall,
  { action, resource }: ToolRule,
  lines: readonly string[],
  facts: Readonly<Record<string, unknown>>,
): DeniedResult {
  const text = [`Not done: ${tool} (${action} on ${resource}) is not allowed.`, ...lines]
    .filter((line) => line !== '')
    .join('\n')
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { [DENIAL_META]: { tool, action, resource, ...facts } },
    ...(has_result_types && { resultType: 'complete' }),
  }
}
