import { type Approval, type AuthorizeResponse, DeputyError, type Methods, resultHash } from '@deputy/sdk'
import { type DeniedResult, deniedResult, refusedResult, unavailableResult } from './denied-result.ts'
import { isObject, type ToolCall } from './messages.ts'
import type { ToolRule, ToolRules } from './tool-rules.ts'
import { turns } from './turns.ts'

/** The operations that the guard needs. */
export type GateClient = Pick<
  Methods,
  'authorize' | 'authorizeBatch' | 'getApproval' | 'completeRecord' | 'cancelRecord'
>

export interface GateOptions {
  readonly client: GateClient
  readonly jti: string
  readonly rules: ToolRules
  /** Tells the operator. */
  readonly say: (text: string) => void
}

/** What is to become of a call. `aar_id` is missing when it is let through although nobody could be asked. */
export type Verdict =
  | { readonly kind: 'allowed'; readonly aar_id: string | undefined }
  | { readonly kind: 'denied'; readonly result: DeniedResult }
  | { readonly kind: 'cancelled' }

/** How the server answered a call. */
export interface ToolAnswer {
  readonly result?: unknown
  readonly error?: unknown
}

export interface Gate {
  /** Asks whether a call may go on; waits for a human where the rules say so. `progress` is told while it waits. */
  ask(call: ToolCall, signal: AbortSignal, progress?: (text: string) => void): Promise<Verdict>
  /** Completes the record of a call. Answers soon, also when the service does not. */
  end(aar_id: string | undefined, answer: ToolAnswer): Promise<void>
  /** Gives up the record of a call that the server never heard of. */
  cancel(aar_id: string | undefined): Promise<void>
  /** Nobody waits for the outcome any more. The server may have done it all the same, so what it costs stays spent. */
  giveUp(aar_id: string | undefined): Promise<void>
  /** The tools that could be called now, perhaps after a human was asked. All of them when nobody can say. */
  callable(tools: readonly string[]): Promise<ReadonlySet<string>>
  /** Waits for what was not told yet, for a while. */
  settle(): Promise<void>
}

/** An answer is not held back longer than this for the sake of its record. */
const HELD_BACK_MS = 2_000
const SETTLE_MS = 5_000
const APPROVAL_POLL_S = 5
const MAX_BATCH = 500
/** More at once would only wait at the service, and the last ones would be given up there. */
const MAX_AT_ONCE = 64

export function gate({ client, jti, rules, say }: GateOptions): Gate {
  const untold = new Set<Promise<unknown>>()
  const inTurn = turns(MAX_AT_ONCE)
  let workflow: string | undefined

  function ask(call: ToolCall, signal: AbortSignal, progress = (_text: string) => {}): Promise<Verdict> {
    const asking = asked(call, signal, progress)
    untold.add(asking)
    asking.finally(() => untold.delete(asking))
    return asking
  }

  async function asked(
    call: ToolCall,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<Verdict> {
    const rule = rules.ruleFor(call.tool)
    try {
      const decision = await inTurn(() => client.authorize(requestOf(call, rule)))
      tellWorkflow(decision.provenance_ref)
      const { approval_id } = decision
      if (decision.authorized || approval_id === undefined || rule.approval === 'refuse')
        return verdictOf(call, rule, decision, signal)
      return await afterApproval(call, rule, decision, approval_id, signal, progress)
    } catch (error) {
      return failed(call, rule, error)
    }
  }

  /** Nobody lets a call through here because the service is away: a human was to be asked. */
  async function afterApproval(
    call: ToolCall,
    rule: ToolRule,
    asked: AuthorizeResponse,
    approval_id: string,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<Verdict> {
    try {
      const state = await decided(approval_id, call, rule, signal, progress)
      if (state === undefined) return { kind: 'cancelled' }
      if (state !== 'approved') return { kind: 'denied', result: deniedResult(call, rule, asked, state) }
      const decision = await inTurn(() => client.authorize({ ...requestOf(call, rule), approval_id }))
      return verdictOf(call, rule, decision, signal)
    } catch (error) {
      if (signal.aborted) return { kind: 'cancelled' }
      return denied(call, rule, error)
    }
  }

  /** Undefined when the client does not want to wait any longer. */
  async function decided(
    id: string,
    call: ToolCall,
    rule: ToolRule,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<Approval['state'] | undefined> {
    say(`${call.tool} waits for a human to decide on ${id}.`)
    while (!signal.aborted) {
      progress(`Waiting for a human to approve ${rule.action} on ${rule.resource} (${id}).`)
      const { state } = await client.getApproval({ id, wait: APPROVAL_POLL_S }, { signal })
      if (state !== 'pending') return state
    }
    return undefined
  }

  async function verdictOf(
    call: ToolCall,
    rule: ToolRule,
    decision: AuthorizeResponse,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { authorized, aar_id } = decision
    if (!authorized || aar_id === undefined) {
      say(`${call.tool} is denied: ${(decision.reasons ?? []).join(', ')}.`)
      return { kind: 'denied', result: deniedResult(call, rule, decision) }
    }
    if (!signal.aborted) return { kind: 'allowed', aar_id }
    await cancel(aar_id)
    return { kind: 'cancelled' }
  }

  function failed(call: ToolCall, rule: ToolRule, error: unknown): Verdict {
    if (!isUnavailable(error) || rules.on_unavailable === 'deny') return denied(call, rule, error)
    say(`${call.tool} goes on without a record: the service cannot be asked.`)
    return { kind: 'allowed', aar_id: undefined }
  }

  function denied(call: ToolCall, rule: ToolRule, error: unknown): Verdict {
    const result = isUnavailable(error)
      ? unavailableResult(call, rule)
      : refusedResult(call, rule, error instanceof DeputyError ? error : undefined)
    say(`${call.tool} is denied: ${error instanceof Error ? error.message : String(error)}`)
    return { kind: 'denied', result }
  }

  function requestOf({ tool, arguments: given }: ToolCall, { action, resource, spend_usd }: ToolRule) {
    const arguments_hash = resultHash(given)
    const metadata = {
      mcp_server: rules.server,
      mcp_tool: tool,
      ...(arguments_hash !== undefined && { arguments_hash }),
    }
    return { vat_jti: jti, action, resource, spend_usd, metadata }
  }

  function tellWorkflow(provenance_ref: string): void {
    if (workflow === provenance_ref) return
    workflow = provenance_ref
    say(`Calls are recorded under ${provenance_ref}.`)
  }

  async function tell(what: string, work: () => Promise<unknown>): Promise<void> {
    const telling = inTurn(work).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      say(`${what} could not be told: ${why} The record expires by itself.`)
    })
    untold.add(telling)
    telling.finally(() => untold.delete(telling))
    await within(HELD_BACK_MS, telling)
  }

  async function cancel(aar_id: string | undefined): Promise<void> {
    if (aar_id !== undefined) await tell(`The end of ${aar_id}`, () => client.cancelRecord({ id: aar_id }))
  }

  async function complete(aar_id: string | undefined, result: string, result_hash?: string): Promise<void> {
    if (aar_id === undefined) return
    await tell(`The outcome of ${aar_id}`, () => client.completeRecord({ id: aar_id, result, result_hash }))
  }

  return {
    ask,
    cancel,
    giveUp: (aar_id) => complete(aar_id, 'cancelled'),
    async end(aar_id, answer) {
      if (aar_id === undefined) return
      await complete(aar_id, outcomeOf(answer), resultHash(answer.error ?? answer.result))
    },
    async callable(tools) {
      const found = new Set<string>()
      for (let start = 0; start < tools.length; start += MAX_BATCH) {
        const part = tools.slice(start, start + MAX_BATCH)
        const { items } = await client.authorizeBatch({
          items: part.map((tool) => {
            const { action, resource, spend_usd } = rules.ruleFor(tool)
            return {
              vat_jti: jti,
              action,
              resource,
              dry_run: true,
              ...(spend_usd !== undefined && { spend_usd }),
            }
          }),
        })
        for (const [at, tool] of part.entries()) if (isWithinReach(items[at]?.answer)) found.add(tool)
      }
      return found
    },
    async settle() {
      await within(SETTLE_MS, Promise.all(untold))
    },
  }
}

/** What only needs a human, or some patience. */
const PASSING_REASONS = ['approval_required', 'rate_limit', 'outside_hours']

function isWithinReach(decision: AuthorizeResponse | undefined): boolean {
  if (decision === undefined) return false
  return decision.authorized || (decision.reasons ?? []).every((reason) => PASSING_REASONS.includes(reason))
}

/** A call that the server wants to be made again, with more input, has neither succeeded nor failed. */
function outcomeOf({ result, error }: ToolAnswer): string {
  if (error !== undefined || !isObject(result) || result.isError === true) return 'error'
  return result.resultType === 'input_required' ? 'cancelled' : 'success'
}

const AWAY = [502, 503, 504]

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof DeputyError)) return false
  return error.code === 'unreachable' || error.code === 'timed_out' || AWAY.includes(error.status)
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
