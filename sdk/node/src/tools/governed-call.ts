import { type Authority, AuthorityDenied, type RunOptions } from '../authority.ts'
import { isUnavailable } from '../errors.ts'
import type { Approval } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import { resultHash } from '../result-hash.ts'
import { deniedTool, ToolDenied, unjudgedTool } from './tool-denied.ts'
import { type AppliedRule, readToolRules, type ToolRule, type ToolRules } from './tool-rules.ts'

/** How tools are governed. */
export interface GovernedOptions<Tools = Readonly<Record<string, ToolRule>>> extends ToolRules<Tools> {
  /** What becomes of calls while the service cannot be asked. `allow` lets them through without a record. `deny` when absent. */
  readonly on_unavailable?: 'deny' | 'allow' | undefined
  /**
   * `tell`: the model reads why, and the run goes on. `throw`: the tool throws `ToolDenied`. A function hears of it, and the
   * model is told as well. `tell` when absent.
   */
  readonly on_denied?: 'tell' | 'throw' | ((denied: ToolDenied) => void) | undefined
  /** Hears of records that could not be completed. They expire by themselves. Written to the console when absent. */
  readonly on_incomplete?: ((error: unknown, aar_id: string) => void) | undefined
}

/** A call of a tool, as every framework can show it. */
export interface ToolCall {
  readonly tool: string
  readonly id: string | undefined
  readonly input: unknown
  readonly signal: AbortSignal | undefined
}

/** How the answer of a tool is understood, where a framework has put it in a form of its own. */
export interface AnswerReading<T> {
  /** Whether it tells of a failure. No answer does when absent. */
  hasFailed?(answer: T): boolean
  /** The part that is hashed. All of it when absent. */
  resultOf?(answer: T): unknown
  /** Whether what was thrown is no failure, but a pause after which the framework calls the tool anew. */
  isPause?(error: unknown): boolean
}

export interface Governor {
  /**
   * Asks, does the work, and completes the record; throws `ToolDenied` when it is not allowed. The record of work that answers
   * with an async generator is completed when that ends.
   */
  run<T>(call: ToolCall, work: () => T | Promise<T>, reading?: AnswerReading<T>): Promise<T>
  /** What a model is to be told. Throws whatever is not for it. */
  told(error: unknown): ToolDenied
}

/** A call that was allowed. None of its ends ever throws: the answer of a tool is not the hostage of its record. */
interface RunningCall {
  during<T>(work: () => T): T
  succeed(value: unknown): Promise<void>
  /** Gives up instead, if the caller has had enough: then nobody can say that the tool has failed. */
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

const APPROVAL_POLL_S = 25
const OPTIONS: Record<keyof GovernedOptions, true> = {
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
  checkOptions(options, OPTIONS)
  const { on_unavailable = 'deny', on_denied = 'tell', on_incomplete = warn } = options
  const ruleFor = readToolRules(options, tools)

  async function begin(call: ToolCall): Promise<RunningCall> {
    let rule: AppliedRule = { action: '?', resource: '?', spend_usd: undefined, approval: 'refuse' }
    try {
      rule = ruleFor(call.tool, call.input)
      return await beginAs(call, rule, {})
    } catch (error) {
      call.signal?.throwIfAborted()
      if (isUnavailable(error) && on_unavailable === 'allow') return UNRECORDED
      const denied = error instanceof ToolDenied ? error : unjudgedTool({ ...whatOf(call, rule) }, error)
      if (typeof on_denied === 'function') on_denied(denied)
      throw denied
    }
  }

  async function beginAs(call: ToolCall, rule: AppliedRule, more: RunOptions): Promise<RunningCall> {
    const { action, resource, spend_usd } = rule
    const { signal } = call
    try {
      const begun = await authority.begin(action, resource, {
        spend_usd,
        signal,
        tool: call.tool,
        tool_call_id: call.id,
        metadata: metadataOf(call),
        ...more,
      })
      return running(begun, signal)
    } catch (error) {
      if (!(error instanceof AuthorityDenied)) throw error
      const { approval_id } = error
      const isFinal = approval_id === undefined || rule.approval === 'refuse' || 'approval_id' in more
      if (isFinal) throw deniedTool(whatOf(call, rule), error)
      return afterApproval(call, rule, error, approval_id)
    }
  }

  /** Nobody lets a call through here because the service is away: a human was to be asked. */
  async function afterApproval(
    call: ToolCall,
    rule: AppliedRule,
    asked: AuthorityDenied,
    approval_id: string,
  ): Promise<RunningCall> {
    try {
      const state = await decided(approval_id, call.signal)
      if (state !== 'approved') throw deniedTool(whatOf(call, rule), asked, state)
      return await beginAs(call, rule, { approval_id })
    } catch (error) {
      throw error instanceof ToolDenied ? error : unjudgedTool(whatOf(call, rule), error)
    }
  }

  async function decided(id: string, signal: AbortSignal | undefined): Promise<Approval['state']> {
    for (;;) {
      const { state } = await authority.client.getApproval({ id, wait: APPROVAL_POLL_S }, { signal })
      if (state !== 'pending') return state
    }
  }

  function running(
    begun: Awaited<ReturnType<Authority['begin']>>,
    signal: AbortSignal | undefined,
  ): RunningCall {
    const told = (telling: Promise<void>) => telling.catch((error) => on_incomplete(error, begun.aar_id))
    const giveUp = () => told(begun.giveUp())
    return {
      during: begun.during,
      succeed: (value) => told(begun.succeed(value)),
      fail: (error) => (signal?.aborted === true ? giveUp() : told(begun.fail(error))),
      giveUp,
      cancel: () => told(begun.cancel()),
    }
  }

  return {
    async run(call, work, reading = {}) {
      const running = await begin(call)
      const value = await attempt(running, async () => work(), reading.isPause)
      // A generator of the same kind stands for the one that was answered.
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

/** Governs the tools of a list, each of which `govern` makes anew. */
export function governedList<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  authority: Authority,
  options: GovernedOptions,
  govern: (tool: Tool, asking: Governor) => Tool,
): Tool[] {
  const names = tools.map(({ name }) => name)
  const asking = governor(authority, options, names)
  return tools.map((tool) => govern(tool, asking))
}

async function attempt<T>(
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

/** The same generator. The record is completed at its end, and given up if nobody wants to hear the rest. */
async function* followed(running: RunningCall, source: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  let last: unknown
  let hasEnded = false
  try {
    for (;;) {
      const { done, value } = await attempt(running, () => source.next()).catch((error: unknown) => {
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

/** Arguments may be secrets: their hash tells whether two calls were the same, and no more. */
function metadataOf({ tool, id, input }: ToolCall): Record<string, unknown> {
  const arguments_hash = resultHash(input)
  return {
    tool,
    ...(id !== undefined && { tool_call_id: id }),
    ...(arguments_hash !== undefined && { arguments_hash }),
  }
}

function whatOf({ tool }: ToolCall, { action, resource }: AppliedRule) {
  return { tool, action, resource }
}

function warn(error: unknown, aar_id: string): void {
  console.warn(`The action record ${aar_id} could not be completed.`, error)
}
