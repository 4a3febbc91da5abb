/** Governed tools for LangChain and LangGraph: each call is authorized before it runs and recorded after. */
import type { Authority } from './actions/authority.ts'
import { type GovernedOptions, type Governor, governedList, governor } from './tools/governed-call.ts'
import type { ToolDenied } from './tools/tool-denied.ts'

export type { GovernedOptions } from './tools/governed-call.ts'
export { type ToolDenial, ToolDenied } from './tools/tool-denied.ts'
export type { ToolRule } from './tools/tool-rules.ts'

/** The part of a tool that its type must have. */
export interface LangChainTool {
  readonly name: string
}

/** The part of a `wrapToolCall` request that is used. */
export interface ToolCallRequest {
  readonly toolCall: LangChainCall
  readonly tool?: unknown
  readonly runtime?: { readonly signal?: AbortSignal | undefined } | undefined
}

interface LangChainCall {
  readonly name: string
  readonly args?: unknown
  readonly id?: string | undefined
}

interface RunnableConfig {
  readonly toolCall?: LangChainCall | undefined
  readonly signal?: AbortSignal | undefined
}

/** The members of every LangChain tool that runs in this process, whatever its class. */
interface RunnableTool extends LangChainTool {
  readonly responseFormat?: string
  _call(input: unknown, manager: unknown, config?: RunnableConfig): unknown
  invoke(call: unknown, config: unknown): Promise<unknown>
}

/**
 * Returns the same tools, each of which is authorized before it runs. For `createAgent` and for a `ToolNode` of LangGraph.
 * Throws a TypeError for tools without `_call`, such as provider tools and those of `asTool()`: they cannot be governed.
 *
 * @example
 * ```ts
 * import type { Authority } from '@deputize/sdk'
 * import { governed, type LangChainTool } from '@deputize/sdk/langchain'
 *
 * function toolsFor<Tool extends LangChainTool>(agent: Authority, tools: Tool[]): Tool[] {
 *   return governed(tools, agent, { default: { action: 'call', resource: 'tool:{tool}' } })
 * }
 * ```
 */
export function governed<Tool extends LangChainTool>(
  tools: readonly Tool[],
  authority: Authority,
  options: GovernedOptions = {},
): Tool[] {
  return governedList(tools, authority, options, governedLangChainTool)
}

/**
 * Returns a middleware that governs every tool call of an agent, including tools that other middleware adds. As with any
 * `wrapToolCall` middleware, an error thrown by a tool ends the run unless another middleware, such as `toolErrorMiddleware`,
 * catches it.
 *
 * @example
 * ```ts
 * import type { Authority } from '@deputize/sdk'
 * import { governing } from '@deputize/sdk/langchain'
 *
 * function middlewareFor(agent: Authority) {
 *   return [governing(agent, { on_denied: (denied) => console.warn(denied.message) })]
 * }
 * ```
 */
export function governing(authority: Authority, options: GovernedOptions = {}) {
  const { run, told } = governor(authority, options)
  return {
    name: 'deputy',
    async wrapToolCall<Request extends ToolCallRequest, Answer>(
      request: Request,
      handler: (request: Request) => Answer | Promise<Answer>,
    ): Promise<Answer> {
      const { toolCall, tool, runtime } = request
      const call = { tool: toolCall.name, id: toolCall.id, input: toolCall.args, signal: runtime?.signal }
      try {
        return await run<Answer>(call, async () => handler(request), MESSAGE)
      } catch (error) {
        const denied = told(error)
        if (!isRunnable(tool)) throw denied // only a runnable tool can make a message
        return (await denialMessage(tool, toolCall, denied)) as Answer // a ToolMessage, as the handler returns
      }
    },
  }
}

function governedLangChainTool<Tool extends LangChainTool>(tool: Tool, { run, told }: Governor): Tool {
  if (!isRunnable(tool))
    throw new TypeError(
      `${tool.name} has no _call and cannot be governed. Create it with tool(), or leave it out of governed().`,
    )
  const plain: RunnableTool = tool
  async function _call(input: unknown, manager: unknown, config: RunnableConfig = {}): Promise<unknown> {
    const { toolCall, signal } = config
    const call = { tool: tool.name, id: toolCall?.id, input, signal }
    try {
      return await run(call, () => plain._call(input, manager, config), TOOL)
    } catch (error) {
      const denied = told(error)
      const message = await denialMessage(plain, toolCall, denied)
      return plain.responseFormat === 'content_and_artifact' ? [message, denied.denial] : message
    }
  }
  return Object.assign(Object.create(tool), { _call })
}

function isRunnable(tool: unknown): tool is RunnableTool {
  return typeof tool === 'object' && tool !== null && '_call' in tool && typeof tool._call === 'function'
}

/** `interrupt()` of LangGraph throws; after a person has answered, the tool is called again. */
const TOOL = { isPause: (error: unknown) => member(error, 'is_bubble_up') === true }

/** Handlers return a ToolMessage, which has a status, or a Command, which has none. */
const MESSAGE = {
  ...TOOL,
  hasFailed: (answer: unknown) => member(answer, 'status') === 'error',
  resultOf: (answer: unknown) => member(answer, 'content') ?? answer,
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns the message of a denied call. The tool creates it, because this file imports no LangChain classes. */
async function denialMessage(
  tool: RunnableTool,
  call: LangChainCall | undefined,
  { message, denial }: ToolDenied,
) {
  const overrides = {
    _call: async () => [message, denial],
    responseFormat: 'content_and_artifact',
    schema: {},
  }
  const denying: RunnableTool = Object.assign(Object.create(tool), overrides)
  const given = call === undefined ? {} : { ...call, args: {}, type: 'tool_call' }
  const message_object = await denying.invoke(given, { callbacks: [] })
  return typeof message_object === 'object' && message_object !== null
    ? Object.assign(message_object, { status: 'error' })
    : message_object
}
