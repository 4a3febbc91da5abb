import { deniedWords, refusedWords, unavailableWords } from '@deputize/protocol'
import type { Approval, AuthorizeResponse, DeputyError } from '@deputize/sdk'
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

/** The rules say no; `approval_state` is how the question to the human ended, if one was waited for. */
export function deniedResult(
  call: ToolCall,
  rule: ToolRule,
  decision: AuthorizeResponse,
  approval_state?: Approval['state'],
): DeniedResult {
  const { denial_id, approval_id, provenance_ref } = decision
  const reasons = approval_state === 'denied' ? ['approval_denied'] : (decision.reasons ?? [])
  const facts = { reasons, denial_id, approval_id, approval_state, provenance_ref }
  return result(call, rule, deniedWords({ ...rule, tool: call.tool }, facts), facts)
}

/** The service refused to judge at all: the token is unknown, the credential does not fit, the mapping is wrong. */
export function refusedResult(call: ToolCall, rule: ToolRule, error: DeputyError | undefined): DeniedResult {
  const code = error?.code ?? 'internal_error'
  const text = refusedWords({ ...rule, tool: call.tool }, code, error?.message ?? 'the guard failed.')
  return result(call, rule, text, { code, request_id: error?.request_id })
}

export function unavailableResult(call: ToolCall, rule: ToolRule): DeniedResult {
  return result(call, rule, unavailableWords({ ...rule, tool: call.tool }), { code: 'unavailable' })
}

function result(
  { tool, has_result_types }: ToolCall,
  { action, resource }: ToolRule,
  text: string,
  facts: Readonly<Record<string, unknown>>,
): DeniedResult {
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { [DENIAL_META]: { tool, action, resource, ...facts } },
    ...(has_result_types && { resultType: 'complete' }),
  }
}
