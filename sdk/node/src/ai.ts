/** Tools of the AI SDK (`ai`), governed: each call is asked about before, and recorded after. */
import type { Authority } from './authority.ts'
import { type GovernedOptions, type Governor, governor } from './tools/governed-call.ts'
import type { ToolRule } from './tools/tool-rules.ts'

export type { GovernedOptions } from './tools/governed-call.ts'
export { type ToolDenial, ToolDenied } from './tools/tool-denied.ts'
export type { ToolRule } from './tools/tool-rules.ts'

// The tools of the framework name their own inputs and options, which nothing narrower can stand for.
type Execute = (input: never, options: never) => unknown

/** As much of a tool as is looked at. */
export interface AiTool {
  readonly execute?: Execute | undefined
}

/** Rules by the name of their tool; functions of the input know its type. */
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
 * The same tools, but each asks first. A tool that was not allowed throws `ToolDenied`, which the AI SDK shows to the model as the
 * error of this call; the run goes on. Throws a TypeError for tools without `execute`: they run elsewhere, beyond reach.
 */
export function governed<Tools extends Readonly<Record<string, AiTool>>>(
  tools: Tools,
  authority: Authority,
  options: GovernedOptions<AiRules<Tools>> = {},
): Tools {
  const names = Object.keys(tools)
  const { run } = governor(authority, options, names)
  const made = Object.entries(tools).map(([name, tool]) => [name, governedTool(name, tool, run)])
  return Object.fromEntries(made) as Tools // each differs in its execute alone, which takes and answers the same
}

function governedTool(name: string, tool: AiTool, run: Governor['run']): AiTool {
  if (typeof tool.execute !== 'function')
    throw new TypeError(
      `${name} has no execute: it runs elsewhere and cannot be governed here. Add it beside the others.`,
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

/** Whether what it answers is seen while it comes: that has to be known before it is called. */
function isStreaming(execute: Execute): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

/** What is yielded, without what is returned: for the AI SDK the last that was yielded is the result. */
async function* yielded(source: unknown): AsyncGenerator<unknown, void> {
  if (isAsyncIterable(source)) yield* source
}

/** The result of a function that answers with a stream although nothing tells so beforehand. */
async function finalOf(answer: unknown): Promise<unknown> {
  if (!isAsyncIterable(answer)) return answer
  let last: unknown
  for await (const one of answer) last = one
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
