import { deniedWords, refusedWords, unavailableWords, unmappedWords } from '@deputize/protocol'
import type { AuthorityDenied, DeputyError } from '@deputize/sdk'
import type { McpToolCall } from './messages.ts'
import type { MappedTool } from './tool-mapping.ts'

/** A denial as a tool result, so that the model reads it and can try something else. */
export interface DeniedResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly isError: true
  readonly _meta: Readonly<Record<string, unknown>>
  readonly resultType?: 'complete'
}

/** Where programs find the facts of a denial. Not structuredContent, which must match the output schema of the tool. */
const DENIAL_META = 'deputy/denial'

/** The result if the rules, or the person who was asked, deny the call. */
export function deniedResult(call: McpToolCall, rule: MappedTool, denied: AuthorityDenied): DeniedResult {
  const { reasons, details, denial_id, approval_id, approval_state, note, decision } = denied
  const { provenance_ref } = decision
  const facts = { reasons, details, denial_id, approval_id, approval_state, note, provenance_ref }
  return toolResult(call, rule, deniedWords({ ...rule, tool: call.tool }, facts), facts)
}

/** The result if the service made no decision: the token is unknown, the credential invalid, or the mapping wrong. */
export function refusedResult(
  call: McpToolCall,
  rule: MappedTool,
  error: DeputyError | undefined,
): DeniedResult {
  const code = error?.code ?? 'internal_error'
  const text = refusedWords({ ...rule, tool: call.tool }, code, error?.message ?? 'The guard failed.')
  return toolResult(call, rule, text, { code, request_id: error?.request_id })
}

export function unavailableResult(call: McpToolCall, rule: MappedTool): DeniedResult {
  return toolResult(call, rule, unavailableWords({ ...rule, tool: call.tool }), { code: 'unavailable' })
}

/** The result if the mapping has no rule for the tool, or only a rule for a name that looks like it. */
export function unmappedResult({ tool, has_result_types }: McpToolCall): DeniedResult {
  return {
    content: [{ type: 'text', text: unmappedWords(tool) }],
    isError: true,
    _meta: { [DENIAL_META]: { tool, code: 'tool_not_mapped', reasons: [] } },
    ...(has_result_types && { resultType: 'complete' }),
  }
}

function toolResult(
  { tool, has_result_types }: McpToolCall,
  { action, resource }: MappedTool,
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
