import type { Gate } from './gate.ts'
import { type Answered, isObject } from './messages.ts'

/** An answer to tools/list without the tools that cannot be called; undefined when it may stay as it is. */
export async function shownTools(
  { message, result }: Answered,
  gate: Pick<Gate, 'callable'>,
  say: (text: string) => void,
): Promise<string | undefined> {
  if (!isObject(result) || !Array.isArray(result.tools)) return undefined
  const tools: readonly unknown[] = result.tools
  try {
    const callable = await gate.callable(tools.flatMap((tool) => nameOf(tool) ?? []))
    const shown = tools.filter((tool) => callable.has(nameOf(tool) ?? ''))
    if (shown.length === tools.length) return undefined
    return JSON.stringify({ ...message, result: { ...result, tools: shown } })
  } catch (error) {
    // Hiding is a courtesy: every call is asked about all the same.
    say(`All tools are shown: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

function nameOf(tool: unknown): string | undefined {
  return isObject(tool) && typeof tool.name === 'string' ? tool.name : undefined
}
