/** Function tools of the OpenAI Agents SDK, governed: each call is asked about before, and recorded after. */
import type { Authority } from './authority.ts'
import { type GovernedOptions, type Governor, governedList, governor } from './tools/governed-call.ts'

export type { GovernedOptions } from './tools/governed-call.ts'
export { type ToolDenial, ToolDenied } from './tools/tool-denied.ts'
export type { ToolRule } from './tools/tool-rules.ts'

/** As much of a tool as its type has to show. */
export interface OpenAiTool {
  readonly type: string
  readonly name: string
}

/** What `tool()` takes and makes; its own types say more. */
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

/** Where the function of a tool says that it has thrown, before the SDK makes a text of what it threw. */
const FAILED = Symbol('deputy.failed')
const FAILED_TEXT = 'An error occurred while running the tool. Please try again.'

/**
 * The same function tools, but each asks first. The SDK makes a text of what a tool throws: the record says `error` for the text
 * that it uses by itself. For tools with an `errorFunction` of their own use `governing`, which sees what is thrown. Throws a
 * TypeError for tools of other types: they run elsewhere, beyond reach.
 */
export function governed<Tool extends OpenAiTool>(
  tools: readonly Tool[],
  authority: Authority,
  options: GovernedOptions = {},
): Tool[] {
  return governedList(tools, authority, options, governedTool)
}

/** Stands for `tool` of the SDK: everything that it makes is governed. Rules go by the names that the SDK gives to tools. */
export function governing<Make extends MakeTool>(
  tool: Make,
  authority: Authority,
  options: GovernedOptions = {},
): Make {
  const asking = governor(authority, options)
  const make = (given: ToolOptions) => {
    const name = given.name ?? given.execute.name
    const made = tool({ ...given, name, execute: telling(given) } as never) // it takes what it takes
    // A limit under a name that no tool has would be no limit.
    if (made.name !== name && Object.hasOwn(options.tools ?? {}, name))
      throw new TypeError(`The rule for ${name} has to be one for ${made.name}, as the tool is called.`)
    return governedTool(made, asking)
  }
  return make as unknown as Make // takes the same, and makes the same but for `invoke`
}

function governedTool<Tool extends OpenAiTool>(tool: Tool, { run, told }: Governor): Tool {
  if (!isFunctionTool(tool))
    throw new TypeError(
      `${tool.name} is no function tool: it runs elsewhere and cannot be governed here. Add it beside the others.`,
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
    const call = { tool: plain.name, id: toolCall?.callId, input: parsed(text), signal }
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

function telling(given: ToolOptions): ToolOptions['execute'] {
  return async (input, context, details) => {
    try {
      return await given.execute(input, context, details)
    } catch (error) {
      details?.[FAILED]?.()
      throw error
    }
  }
}

/** The arguments, as the model wrote them. What is no JSON is refused by the tool itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
