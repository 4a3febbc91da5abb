/** Governed tools for the AI SDK (`ai`): each call is authorized before it runs and recorded after. */
import type { Authority } from './actions/authority.ts'
import { type GovernedOptions, type Governor, governor } from './tools/governed-call.ts'
import type { ToolRule } from './tools/tool-rules.ts'

export type { GovernedOptions } from './tools/governed-call.ts'
export { type ToolDenial, ToolDenied } from './tools/tool-denied.ts'
export type { ToolRule } from './tools/tool-rules.ts'

// The framework's tools declare their own inputs and options, which no narrower type matches.
type Execute = (input: never, options: never) => unknown

/** The part of a tool that is used. */
export interface AiTool {
  readonly execute?: Execute | undefined
}

/** Rules by tool name. Functions of the input are typed by the tool. */
export type AiRules<Tools> = {
  readonly [Name in keyof Tools]?: ToolRule<InputOf<Tools[Name]>>
}

type InputOf<Tool> = Tool extends { readonly execute?: infer Given }
  ? Given extends (input: infer Input, options: never) => unknown
    ? Input
    : never
  : unknown

interface ExecutionOptions {
  readonly toolCallId?: string
  readonly abortSignal?: AbortSignal
}

/**
 * Returns the same tools, each of which is authorized before it runs. A denied tool throws `ToolDenied`, which the AI SDK shows
 * to the model as the error of this call; the run continues. Throws a TypeError for tools without `execute`, which run
 * elsewhere and cannot be governed.
 *
 * @example
 * ```ts
 * import { deputy } from '@deputize/sdk'
 * import { governed } from '@deputize/sdk/ai'
 *
 * const client = deputy({ url: 'http://127.0.0.1:8420' })
 * const token = await client.issueL1({
 *   developer_email: 'dev@example.com',
 *   agent_id: 'calendar-bot',
 *   resources: ['calendar:events'],
 *   actions: ['read'],
 * })
 * const tools = {
 *   readEvents: { description: 'Reads the calendar', execute: async () => ['stand-up'] },
 * }
 * const safe = governed(tools, client.withAuthority(token), {
 *   tools: { readEvents: { action: 'read', resource: 'calendar:events' } },
 * })
 * console.log(await safe.readEvents.execute()) // [ 'stand-up' ]
 * ```
 */
export function governed<Tools extends Readonly<Record<string, AiTool>>>(
  tools: Tools,
  authority: Authority,
  options: GovernedOptions<AiRules<Tools>> = {},
): Tools {
  const names = Object.keys(tools)
  const { run } = governor(authority, options, names)
  const made = Object.entries(tools).map(([name, tool]) => [name, governedAiTool(name, tool, run)])
  return Object.fromEntries(made) as Tools // only execute differs, and it has the same signature
}

function governedAiTool(name: string, tool: AiTool, run: Governor['run']): AiTool {
  if (typeof tool.execute !== 'function')
    throw new TypeError(
      `${name} has no execute, so it runs elsewhere and cannot be governed. Leave it out of governed() and pass it on unchanged.`,
    )
  const plain = tool.execute.bind(tool) as (input: unknown, options: ExecutionOptions) => unknown // see Execute
  const callOf = (input: unknown, { toolCallId: id, abortSignal: signal }: ExecutionOptions = {}) => ({
    tool: name,
    id,
    input,
    signal,
  })
  const execute = isStreaming(tool.execute)
    ? async function* (input: unknown, options: ExecutionOptions) {
        yield* await run(callOf(input, options), () => yielded(plain(input, options)))
      }
    : (input: unknown, options: ExecutionOptions) =>
        run(callOf(input, options), async () => finalOf(await plain(input, options)))
  return { ...tool, execute }
}

/** Whether the tool streams its results, which must be known before it is called. */
function isStreaming(execute: Execute): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

/** Yields the values without the return value: for the AI SDK, the last yielded value is the result. */
async function* yielded(source: unknown): AsyncGenerator<unknown, void> {
  if (isAsyncIterable(source)) yield* source
}

/** Returns the result of a plain function: the last value if it returned a stream. */
async function finalOf(answer: unknown): Promise<unknown> {
  if (!isAsyncIterable(answer)) return answer
  let last: unknown
  for await (const one of answer) last = one
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
