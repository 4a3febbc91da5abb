/** Tools of LangChain and LangGraph, governed: each call is asked about before, and recorded after. */
import type { Authority } from './authority.ts'
import { type GovernedOptions, type Governor, governedList, governor } from './tools/governed-call.ts'
import type { ToolDenied } from './tools/tool-denied.ts'

export type { GovernedOptions } from './tools/governed-call.ts'
export { type ToolDenial, ToolDenied } from './tools/tool-denied.ts'
export type { ToolRule } from './tools/tool-rules.ts'

/** As much of a tool as its type has to show. */
export interface LangChainTool {
  readonly name: string
}

/** As much of a request of `wrapToolCall` as is looked at. */
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

interface Config {
  readonly toolCall?: LangChainCall | undefined
  readonly signal?: AbortSignal | undefined
}

/** What every tool of LangChain has that runs here, whichever class it is of. */
interface RunnableTool extends LangChainTool {
  readonly responseFormat?: string
  _call(input: unknown, manager: unknown, config?: Config): unknown
  invoke(call: unknown, config: unknown): Promise<unknown>
}

/**
 * The same tools, but each asks first: for `createAgent` and for a `ToolNode` of LangGraph. Throws a TypeError for tools that
 * run elsewhere or have no `_call`, as those of providers and of `asTool()`.
 */
export function governed<Tool extends LangChainTool>(
  tools: readonly Tool[],
  authority: Authority,
  options: GovernedOptions = {},
): Tool[] {
  return governedList(tools, authority, options, governedTool)
}

/**
 * A middleware that asks about every call of an agent, also of tools that other middleware brings. As with any middleware of
 * this kind, errors that tools throw then end the run, unless another one, such as `toolErrorMiddleware`, catches them.
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
        if (!isRunnable(tool)) throw denied // there is nothing to make a message with
        return (await messageOf(tool, toolCall, denied)) as Answer // a ToolMessage, as of the handler
      }
    },
  }
}

function governedTool<Tool extends LangChainTool>(tool: Tool, { run, told }: Governor): Tool {
  if (!isRunnable(tool))
    throw new TypeError(
      `${tool.name} does not run here and cannot be governed. Add it beside the others, or make it with tool().`,
    )
  const plain: RunnableTool = tool
  async function _call(input: unknown, manager: unknown, config: Config = {}): Promise<unknown> {
    const { toolCall, signal } = config
    const call = { tool: tool.name, id: toolCall?.id, input, signal }
    try {
      return await run(call, () => plain._call(input, manager, config), TOOL)
    } catch (error) {
      const denied = told(error)
      const message = await messageOf(plain, toolCall, denied)
      return plain.responseFormat === 'content_and_artifact' ? [message, denied.denial] : message
    }
  }
  return Object.assign(Object.create(tool), { _call })
}

function isRunnable(tool: unknown): tool is RunnableTool {
  return typeof tool === 'object' && tool !== null && '_call' in tool && typeof tool._call === 'function'
}

/** `interrupt()` of LangGraph throws; once a human has answered, the tool is called anew. */
const TOOL = { isPause: (error: unknown) => memberOf(error, 'is_bubble_up') === true }

/** What handlers answer: a ToolMessage, or a Command, which is neither good nor bad. */
const MESSAGE = {
  ...TOOL,
  hasFailed: (answer: unknown) => memberOf(answer, 'status') === 'error',
  resultOf: (answer: unknown) => memberOf(answer, 'content') ?? answer,
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** What a tool answers when it was not run. The tool itself makes the message, because its class is not known here. */
async function messageOf(
  tool: RunnableTool,
  call: LangChainCall | undefined,
  { message, denial }: ToolDenied,
) {
  const telling = { _call: async () => [message, denial], responseFormat: 'content_and_artifact', schema: {} }
  const teller: RunnableTool = Object.assign(Object.create(tool), telling)
  const given = call === undefined ? {} : { ...call, args: {}, type: 'tool_call' }
  const told = await teller.invoke(given, { callbacks: [] })
  return typeof told === 'object' && told !== null ? Object.assign(told, { status: 'error' }) : told
}
