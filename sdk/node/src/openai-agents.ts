/** Governed function tools for the OpenAI Agents SDK: each call is authorized before it runs and recorded after. */
import type { Authority } from './actions/authority.ts'
import { type GovernedOptions, type Governor, governedList, governor } from './tools/governed-call.ts'

export type { GovernedOptions } from './tools/governed-call.ts'
export { type ToolDenial, ToolDenied } from './tools/tool-denied.ts'
export type { ToolRule } from './tools/tool-rules.ts'

/** The part of a tool that its type must have. */
export interface OpenAiTool {
  readonly type: string
  readonly name: string
}

/** The type of `tool()`. Its own declaration is more precise. */
export type MakeTool = (options: never) => OpenAiTool

interface Details {
  readonly toolCall?: { readonly callId?: string } | undefined
  readonly signal?: AbortSignal | undefined
  readonly [FAILED]?: () => void
}

interface FunctionTool extends OpenAiTool {
  invoke(context: unknown, input: string, details?: Details): Promise<unknown>
}

interface ToolOptions {
  readonly name?: string | undefined
  execute(input: unknown, context?: unknown, details?: Details): unknown
}

/** Called when a tool's function throws, before the SDK turns the error into text. */
const FAILED = Symbol('deputy.failed')
const FAILED_TEXT = 'An error occurred while running the tool. Please try again.'

/**
 * Returns the same function tools, each of which is authorized before it runs. The SDK turns a tool's errors into text,
 * and the record says `error` if the result starts with the SDK's default text. For tools with their own
 * `errorFunction`, use `governing`, which sees the error itself. Throws a TypeError for tools of other types, which run
 * elsewhere.
 *
 * @example
 * ```ts
 * import type { Authority } from '@deputize/sdk'
 * import { governed, type OpenAiTool } from '@deputize/sdk/openai-agents'
 *
 * function toolsFor<Tool extends OpenAiTool>(agent: Authority, tools: Tool[]): Tool[] {
 *   return governed(tools, agent, { tools: { read_events: { action: 'read', resource: 'calendar:events' } } })
 * }
 * ```
 */
export function governed<Tool extends OpenAiTool>(
  tools: readonly Tool[],
  authority: Authority,
  options: GovernedOptions = {},
): Tool[] {
  return governedList(tools, authority, options, governedFunctionTool)
}

/**
 * Wraps `tool` of the SDK so that every tool it creates is governed. Rules use the names that the SDK gives to tools.
 *
 * @example
 * ```ts
 * import type { Authority } from '@deputize/sdk'
 * import { governing, type MakeTool } from '@deputize/sdk/openai-agents'
 *
 * function governedFactory<Make extends MakeTool>(agent: Authority, tool: Make): Make {
 *   return governing(tool, agent)
 * }
 * ```
 */
export function governing<Make extends MakeTool>(
  tool: Make,
  authority: Authority,
  options: GovernedOptions = {},
): Make {
  const governs = governor(authority, options)
  const make = (given: ToolOptions) => {
    const name = given.name ?? given.execute.name
    const made = tool({ ...given, name, execute: reportingFailure(given) } as never) // the same options except execute
    // A rule under a name that no tool has would never apply.
    if (made.name !== name && Object.hasOwn(options.tools ?? {}, name))
      throw new TypeError(`The SDK calls this tool ${made.name}. Rename the rule ${name} to ${made.name}.`)
    return governedFunctionTool(made, governs)
  }
  return make as unknown as Make // the same signature; only `invoke` of the result differs
}

function governedFunctionTool<Tool extends OpenAiTool>(tool: Tool, { run, told }: Governor): Tool {
  if (!isFunctionTool(tool))
    throw new TypeError(
      `${tool.name} is not a function tool, so it runs elsewhere and cannot be governed. Leave it out of governed().`,
    )
  const plain: FunctionTool = tool
  async function invoke(context: unknown, text: string, details: Details = {}): Promise<unknown> {
    let hasThrown = false
    Object.assign(details, {
      [FAILED]: () => {
        hasThrown = true
      },
    })
    const { toolCall, signal } = details
    const call = {
      tool: plain.name,
      id: toolCall?.callId,
      input: parsedArguments(text),
      input_json: text,
      signal,
    }
    try {
      const work = () => plain.invoke(context, text, details)
      return await run(call, work, {
        hasFailed: (answer) => hasThrown || String(answer).startsWith(FAILED_TEXT),
      })
    } catch (error) {
      return told(error).message
    }
  }
  return { ...tool, invoke }
}

function isFunctionTool(tool: OpenAiTool): tool is FunctionTool {
  return tool.type === 'function' && 'invoke' in tool && typeof tool.invoke === 'function'
}

function reportingFailure(given: ToolOptions): ToolOptions['execute'] {
  return async (input, context, details) => {
    try {
      return await given.execute(input, context, details)
    } catch (error) {
      details?.[FAILED]?.()
      throw error
    }
  }
}

/** Parses the arguments that the model wrote. The tool itself rejects invalid JSON. */
function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
