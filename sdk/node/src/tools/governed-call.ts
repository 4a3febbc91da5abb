import { boundToolCall } from '../../../../protocol/src/api/actions/bound-request.ts'
import { CanonicalError } from '../../../../protocol/src/encoding/canonical.ts'
import { hasInexactNumber, INEXACT_NUMBER } from '../../../../protocol/src/encoding/exact-number.ts'
import { AuthorityDenied, type BegunAction, type RunOptions, warnIncomplete } from '../actions/action.ts'
import type { Authority } from '../actions/authority.ts'
import { awaitedApproval } from '../actions/begin-action.ts'
import { isAway } from '../errors.ts'
import { checkOptions } from '../options.ts'
import { deniedTool, ToolDenied, unjudgedTool } from './tool-denied.ts'
import { type AppliedRule, readToolRules, type ToolRule, type ToolRules } from './tool-rules.ts'

/** Options for governed tools. */
export interface GovernedOptions<Tools = Readonly<Record<string, ToolRule>>> extends ToolRules<Tools> {
  /** What to do if the service does not answer. `allow` runs the tool without a record. Default: `deny`. */
  readonly on_unavailable?: 'deny' | 'allow' | undefined
  /**
   * What to do if a call is denied. `tell`: the model gets the reason and the run continues. `throw`: the tool throws
   * `ToolDenied`. A function is called with the denial, and the model gets the reason too. Default: `tell`.
   */
  readonly on_denied?: 'tell' | 'throw' | ((denied: ToolDenied) => void) | undefined
  /** Called if an action record could not be completed. The record expires by itself. Default: `console.warn`. */
  readonly on_incomplete?: ((error: unknown, aar_id: string) => void) | undefined
}

/** A tool call, in the form that every framework can provide. */
export interface ToolCall {
  readonly tool: string
  readonly id: string | undefined
  readonly input: unknown
  /** The JSON of the input, if that is what the tool gets. */
  readonly input_json?: string | undefined
  readonly signal: AbortSignal | undefined
}

/** How to read the result of a tool if the framework wraps it. */
export interface AnswerReading<T> {
  /** Whether the result reports a failure. Default: never. */
  hasFailed?(answer: T): boolean
  /** The part to hash. Default: the whole result. */
  resultOf?(answer: T): unknown
  /** Whether the error is only a pause, after which the framework calls the tool again. */
  isPause?(error: unknown): boolean
}

export interface Governor {
  /**
   * Authorizes the call, does the work, and completes the record. Throws `ToolDenied` if the call is denied. If the work returns
   * an async generator, the record is completed when that ends.
   */
  run<T>(call: ToolCall, work: () => T | Promise<T>, reading?: AnswerReading<T>): Promise<T>
  /** Returns the denial to show to the model. Rethrows errors that are not for the model. */
  told(error: unknown): ToolDenied
}

/** A call that was allowed. Ending it never throws, so a failed completion cannot break the result of the tool. */
interface RunningCall {
  during<T>(work: () => T): T
  succeed(value: unknown): Promise<void>
  /** Gives up instead if the caller has aborted, because the tool itself may not have failed. */
  fail(error?: unknown): Promise<void>
  giveUp(): Promise<void>
  cancel(): Promise<void>
}

const UNRECORDED: RunningCall = {
  during: (work) => work(),
  succeed: async () => undefined,
  fail: async () => undefined,
  giveUp: async () => undefined,
  cancel: async () => undefined,
}

/** Named in a denial if a tool's rule throws. */
const NO_RULE: AppliedRule = {
  action: '?',
  resource: '?',
  spend_usd: undefined,
  approval: 'refuse',
  arguments: 'hide',
}

const GOVERNED_OPTIONS: Record<keyof GovernedOptions, true> = {
  tools: true,
  default: true,
  on_unavailable: true,
  on_denied: true,
  on_incomplete: true,
}

export function governor(
  authority: Authority,
  options: GovernedOptions<object>,
  tools?: readonly string[],
): Governor {
  checkOptions(options, GOVERNED_OPTIONS)
  const { on_unavailable = 'deny', on_denied = 'tell', on_incomplete = warnIncomplete } = options
  const ruleFor = readToolRules(options, tools)

  async function begin(call: ToolCall): Promise<RunningCall> {
    let rule = NO_RULE
    try {
      rule = ruleFor(call.tool, call.input)
      return runningCall(await beginCall(authority, call, rule), call.signal, on_incomplete)
    } catch (error) {
      call.signal?.throwIfAborted()
      if (isAway(error) && on_unavailable === 'allow') return UNRECORDED
      const denied = error instanceof ToolDenied ? error : unjudgedTool(namedCall(call, rule), error)
      if (typeof on_denied === 'function') on_denied(denied)
      throw denied
    }
  }

  return {
    async run(call, work, reading = {}) {
      const running = await begin(call)
      const value = await attemptCall(running, async () => work(), reading.isPause)
      // The generator that replaces the returned one has the same type.
      if (isAsyncGenerator(value)) return followed(running, value) as typeof value
      const hasFailed = reading.hasFailed?.(value) ?? false
      const result = reading.resultOf === undefined ? value : reading.resultOf(value)
      await (hasFailed ? running.fail() : running.succeed(result))
      return value
    },
    told(error) {
      if (error instanceof ToolDenied && on_denied !== 'throw') return error
      throw error
    },
  }
}

/** Authorizes a call, and waits for an approval if the rule says so. Throws `ToolDenied` if it is denied. */
async function beginCall(
  authority: Authority,
  call: ToolCall,
  rule: AppliedRule,
  more: RunOptions = {},
): Promise<BegunAction> {
  const { action, resource, spend_usd } = rule
  const { signal, tool, id: tool_call_id } = call
  const facts = { spend_usd, signal, tool, tool_call_id, metadata: metadataOf(call, rule), ...more }
  try {
    return await authority.begin(action, resource, facts)
  } catch (error) {
    if (!(error instanceof AuthorityDenied)) throw error
    const { approval_id } = error
    const isFinal = approval_id === undefined || rule.approval === 'refuse' || 'approval_id' in more
    if (isFinal) throw deniedTool(namedCall(call, rule), error)
    return beginApproved(authority, call, rule, error, approval_id)
  }
}

/** Throws `ToolDenied` even if the service is unavailable: a call that needs an approval is never let through. */
async function beginApproved(
  authority: Authority,
  call: ToolCall,
  rule: AppliedRule,
  denied: AuthorityDenied,
  approval_id: string,
): Promise<BegunAction> {
  try {
    const approval = await awaitedApproval(authority.client, approval_id, true, call.signal)
    const { action, resource, decision } = denied
    if (approval.state !== 'approved')
      throw deniedTool(namedCall(call, rule), new AuthorityDenied(action, resource, decision, approval))
    return await beginCall(authority, call, rule, { approval_id })
  } catch (error) {
    throw error instanceof ToolDenied ? error : unjudgedTool(namedCall(call, rule), error)
  }
}

function runningCall(
  begun: BegunAction,
  signal: AbortSignal | undefined,
  on_incomplete: (error: unknown, aar_id: string) => void,
): RunningCall {
  const reported = (ending: Promise<void>) => ending.catch((error) => on_incomplete(error, begun.aar_id))
  const giveUp = () => reported(begun.giveUp())
  return {
    during: begun.during,
    succeed: (value) => reported(begun.succeed(value)),
    fail: (error) => (signal?.aborted === true ? giveUp() : reported(begun.fail(error))),
    giveUp,
    cancel: () => reported(begun.cancel()),
  }
}

/** Governs the tools of a list. `govern` creates the governed version of each. */
export function governedList<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  authority: Authority,
  options: GovernedOptions,
  govern: (tool: Tool, governs: Governor) => Tool,
): Tool[] {
  const names = tools.map(({ name }) => name)
  const governs = governor(authority, options, names)
  return tools.map((tool) => govern(tool, governs))
}

async function attemptCall<T>(
  running: RunningCall,
  work: () => Promise<T>,
  isPause: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    return await running.during(work)
  } catch (error) {
    await (isPause(error) ? running.cancel() : running.fail(error))
    throw error
  }
}

/** Yields what `source` yields. The record is completed at its end, or given up if the consumer stops early. */
async function* followed(running: RunningCall, source: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  let last: unknown
  let hasEnded = false
  try {
    for (;;) {
      const { done, value } = await attemptCall(running, () => source.next()).catch((error: unknown) => {
        hasEnded = true
        throw error
      })
      if (done === true) {
        hasEnded = true
        await running.succeed(value ?? last)
        return value
      }
      last = value
      yield value
    }
  } finally {
    if (!hasEnded) await source.return(undefined).finally(running.giveUp)
  }
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown> {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return false
  return 'next' in value && 'return' in value
}

/**
 * Returns a call's metadata. An approval covers exactly these arguments, which the person sees unless they are hidden.
 */
function metadataOf(
  { tool, id, input, input_json = '' }: ToolCall,
  rule: AppliedRule,
): Record<string, unknown> {
  // The tool could read digits that `input` has lost.
  if (hasInexactNumber(input_json)) throw new CanonicalError(INEXACT_NUMBER)
  return {
    ...(id !== undefined && { tool_call_id: id }),
    request: boundToolCall(tool, input, rule.arguments === 'show'),
  }
}

function namedCall({ tool }: ToolCall, { action, resource }: AppliedRule) {
  return { tool, action, resource }
}
