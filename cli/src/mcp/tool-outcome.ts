import { isObject } from '@deputize/protocol'
import { OTHER_ERROR } from '@deputize/sdk/opentelemetry'

/** The response of the server to a tool call. */
export interface ToolAnswer {
  readonly result?: unknown
  readonly error?: unknown
}

/** The result of the action record. A call that the server wants repeated with more input is recorded as cancelled. */
export function resultOf({ result, error }: ToolAnswer): string {
  if (error !== undefined || !isObject(result) || result.isError === true) return 'error'
  return result.resultType === 'input_required' ? 'cancelled' : 'success'
}

/** The error type in the OpenTelemetry conventions for MCP. Undefined if the call succeeded. */
export function failureOf({ result, error }: ToolAnswer): string | undefined {
  if (isObject(error)) return typeof error.code === 'number' ? String(error.code) : OTHER_ERROR
  if (error !== undefined || !isObject(result)) return OTHER_ERROR
  return result.isError === true ? 'tool_error' : undefined
}
