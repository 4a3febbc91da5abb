/**
 * The story of the demo: three agents plan a trip. It exists only in the browser. A small version of the service's
 * rules decides what happens: revoked, out of scope, over budget, needs an approval.
 */
import type { TimelineRecord } from '../../pictures/timeline.ts'
import type { TreeNodeToken } from '../../pictures/token-tree.ts'
import type { OutcomeName } from '../../words/outcome.ts'

/** The progress of the demo, and what its visitor did. */
export interface DemoProgress {
  readonly shown: number
  readonly answer: 'approved' | 'denied' | undefined
  /** The hotel agent was stopped after this many steps. */
  readonly stopped_after: number | undefined
}

export const DEMO_BEGIN: DemoProgress = { shown: 1, answer: undefined, stopped_after: undefined }

/** One line of the feed. */
export interface DemoLine {
  readonly at: string
  readonly agent_id: string
  readonly outcome: OutcomeName
  readonly text: string
  readonly note: string
}

export interface DemoRequest {
  readonly agent_id: string
  readonly text: string
  readonly spend_usd: number
  readonly left_usd: number
}

export type DemoRecord = TimelineRecord & { readonly spend_usd: number; readonly vat_jti: string }

export interface DemoWorld {
  readonly tokens: readonly TreeNodeToken[]
  readonly records: readonly DemoRecord[]
  readonly denials: readonly {
    readonly id: string
    readonly vat_jti: string
    readonly text: string
    readonly reason: string
  }[]
  /** Newest first. */
  readonly lines: readonly DemoLine[]
  readonly request: DemoRequest | undefined
  readonly isOver: boolean
}

interface TokenStep {
  readonly jti: string
  readonly parent_jti?: string
  readonly agent_id: string
  readonly actions: readonly string[]
  readonly budget_usd?: number
  readonly asks_above_usd?: number
}

interface DeedStep {
  readonly of: string
  readonly action: string
  readonly resource: string
  readonly spend_usd: number
}

type HeldToken = TokenStep & { spent_usd: number; is_revoked: boolean }

/** The agent that the visitor can stop. */
export const HOTEL = 'demo-hotel'

const STORY: readonly (TokenStep | DeedStep)[] = [
  {
    jti: 'demo-plan',
    agent_id: 'agent:trip-planner',
    actions: ['plan', 'search', 'buy'],
    budget_usd: 400,
  },
  { jti: 'demo-flight', parent_jti: 'demo-plan', agent_id: 'agent:flight-finder', actions: ['search'] },
  {
    jti: HOTEL,
    parent_jti: 'demo-plan',
    agent_id: 'agent:hotel-buyer',
    actions: ['search', 'buy'],
    budget_usd: 200,
    asks_above_usd: 100,
  },
  { of: 'demo-flight', action: 'search', resource: 'flights:offers', spend_usd: 0 },
  { of: 'demo-flight', action: 'buy', resource: 'flights:tickets', spend_usd: 186.4 },
  { of: 'demo-plan', action: 'buy', resource: 'flights:tickets', spend_usd: 186.4 },
  { of: HOTEL, action: 'search', resource: 'hotels:rooms', spend_usd: 0 },
  { of: HOTEL, action: 'buy', resource: 'hotels:rooms', spend_usd: 149.9 },
  { of: HOTEL, action: 'buy', resource: 'hotels:breakfast', spend_usd: 24 },
  { of: HOTEL, action: 'buy', resource: 'hotels:spa', spend_usd: 90 },
  { of: 'demo-plan', action: 'plan', resource: 'calendar:trips', spend_usd: 0 },
]

export const DEMO_STEPS = STORY.length
export const STEP_MS = 4000
const TOOK_MS = 2400

/** What the demo shows at this point. `begin_ms` is the time of its first step. */
export function demoWorld(progress: DemoProgress, begin_ms: number): DemoWorld {
  const play = new Play(progress.answer)
  for (const [index, step] of STORY.slice(0, progress.shown).entries()) {
    const at_ms = begin_ms + index * STEP_MS
    if ('jti' in step) play.issue(step, at_ms)
    else play.act(step, at_ms)
    if (progress.stopped_after === index + 1) play.stop(HOTEL, at_ms + TOOK_MS)
  }
  return play.world(progress.shown >= DEMO_STEPS)
}

class Play {
  readonly #answer: DemoProgress['answer']
  readonly #tokens = new Map<string, HeldToken>()
  readonly #records: DemoRecord[] = []
  readonly #denials: DemoWorld['denials'][number][] = []
  readonly #lines: DemoLine[] = []
  #request: DemoRequest | undefined

  constructor(answer: DemoProgress['answer']) {
    this.#answer = answer
  }

  issue(step: TokenStep, at_ms: number): void {
    this.#tokens.set(step.jti, { ...step, spent_usd: 0, is_revoked: false })
    const text = step.parent_jti === undefined ? 'got a token from you' : 'got a narrower token'
    this.#tell(at_ms, step.agent_id, 'issued', text, step.actions.join(', '))
  }

  act({ of, action, resource, spend_usd }: DeedStep, at_ms: number): void {
    const chain = this.#chain(of)
    const [token] = chain
    if (token === undefined) return
    const text = `${action} ${resource}`
    const reason = this.#whyNot(chain, action, spend_usd)
    if (reason !== undefined) {
      this.#denials.push({ id: `${of} ${action} ${resource}`, vat_jti: of, text, reason })
      this.#tell(at_ms, token.agent_id, 'denied', text, reason)
      return
    }
    const needsAnswer = spend_usd > (token.asks_above_usd ?? Number.POSITIVE_INFINITY)
    if (needsAnswer && !this.#isApproved(chain, { of, action, resource, spend_usd }, at_ms)) return
    for (const one of chain) one.spent_usd += spend_usd
    this.#records.push({
      aar_id: `${of} ${action} ${resource}`,
      agent_id: token.agent_id,
      vat_jti: of,
      action,
      resource,
      state: 'completed',
      result: 'success',
      spend_usd,
      created_at: instant(at_ms),
      completed_at: instant(at_ms + TOOK_MS),
    })
    this.#tell(at_ms, token.agent_id, 'done', text, spend_usd === 0 ? '' : dollars(spend_usd))
  }

  /** Asks the visitor, or applies their answer. */
  #isApproved([token, ...above]: readonly HeldToken[], step: DeedStep, at_ms: number): boolean {
    if (token === undefined) return false
    const { agent_id } = token
    const text = `${step.action} ${step.resource}`
    this.#tell(at_ms, agent_id, 'asks', text, dollars(step.spend_usd))
    if (this.#answer === 'approved') this.#tell(at_ms, agent_id, 'approved', text, 'by you')
    if (this.#answer === 'denied') {
      this.#tell(at_ms, agent_id, 'denied', text, 'by you')
      this.#denials.push({ id: `${step.of} ${text}`, vat_jti: step.of, text, reason: 'denied by you' })
    }
    if (this.#answer === undefined) {
      const left_usd = Math.min(...[token, ...above].map(leftOf)) - step.spend_usd
      this.#request = { agent_id, text, spend_usd: step.spend_usd, left_usd }
    }
    return this.#answer === 'approved'
  }

  stop(jti: string, at_ms: number): void {
    const token = this.#tokens.get(jti)
    if (token === undefined) return
    token.is_revoked = true
    this.#request = undefined
    this.#tell(at_ms, token.agent_id, 'revoked', 'was stopped by you', '')
  }

  world(isOver: boolean): DemoWorld {
    return {
      tokens: [...this.#tokens.values()].map((token) => this.#drawn(token)),
      records: this.#records,
      denials: this.#denials,
      lines: [...this.#lines].reverse(),
      request: this.#request,
      isOver: isOver && this.#request === undefined,
    }
  }

  #whyNot(chain: readonly HeldToken[], action: string, spend_usd: number): string | undefined {
    if (chain.some(({ is_revoked }) => is_revoked)) return 'token revoked'
    if (!chain.every(({ actions }) => actions.includes(action))) return 'action not in scope'
    return chain.some((token) => spend_usd > leftOf(token)) ? 'budget exceeded' : undefined
  }

  /** The token and then its ancestors, up to the root. */
  #chain(jti: string | undefined): HeldToken[] {
    const token = this.#tokens.get(jti ?? '')
    return token === undefined ? [] : [token, ...this.#chain(token.parent_jti)]
  }

  #drawn({ jti, parent_jti, agent_id, actions, is_revoked }: HeldToken): TreeNodeToken {
    const [tightest] = this.#chain(jti)
      .filter(({ budget_usd }) => budget_usd !== undefined)
      .sort((one, other) => leftOf(one) - leftOf(other))
    return {
      jti,
      ...(parent_jti !== undefined && { parent_jti }),
      agent_id,
      status: is_revoked ? ('revoked' as const) : ('live' as const),
      claims: { svc_scope: { actions } },
      ...(tightest !== undefined && {
        tightest: {
          allocated_usd: tightest.budget_usd ?? 0,
          spent_usd: tightest.spent_usd,
          reserved_usd: 0,
          remaining_usd: leftOf(tightest),
        },
      }),
    }
  }

  #tell(at_ms: number, agent_id: string, outcome: OutcomeName, text: string, note: string): void {
    this.#lines.push({ at: instant(at_ms), agent_id, outcome, text, note })
  }
}

function leftOf({ budget_usd, spent_usd }: { budget_usd?: number; spent_usd: number }): number {
  return budget_usd === undefined ? Number.POSITIVE_INFINITY : budget_usd - spent_usd
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`
}
