import { isObject } from '@deputize/protocol'
import { errorText } from '../start-problems.ts'
import type { CallAuthorizer } from './call-authorizer.ts'
import type { ServerResponse } from './messages.ts'

/** A tools/list response without the tools that cannot be called. Undefined if nothing is removed. */
export async function shownTools(
  { message, result }: ServerResponse,
  authorizer: Pick<CallAuthorizer, 'callable'>,
  say: (text: string) => void,
): Promise<string | undefined> {
  if (!isObject(result) || !Array.isArray(result.tools)) return undefined
  const tools: readonly unknown[] = result.tools
  try {
    const callable = await authorizer.callable(tools.flatMap((tool) => toolName(tool) ?? []))
    const shown = tools.filter((tool) => callable.has(toolName(tool) ?? ''))
    if (shown.length === tools.length) return undefined
    return JSON.stringify({ ...message, result: { ...result, tools: shown } })
  } catch (error) {
    // Hiding is optional: every call is authorized anyway.
    say(`Showing all tools, because the allowed ones are unknown: ${errorText(error)}`)
    return undefined
  }
}

function toolName(tool: unknown): string | undefined {
  return isObject(tool) && typeof tool.name === 'string' ? tool.name : undefined
}
