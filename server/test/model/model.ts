// An independent implementation of the rules of authority, deliberately kept apart from the server's code. It caches
// nothing, and derives every answer anew from the whole chain and the list of all past events.

import { Approvals, isForAll, joined, type Rule, type Wish } from './approvals.ts'
import { Names } from './names.ts'

export type Wishes = {
  readonly max_spend_usd?: number
  readonly max_spend_per_action_usd?: number
  readonly max_overrun_pct?: number
  readonly max_spend_usd_per?: Partial<Record<Period, number>>
  readonly arguments?: Readonly<Record<string, Readonly<Record<string, ArgumentWish>>>>
  readonly max_actions?: number
  readonly max_actions_per_minute?: number
  readonly not_before?: string
  readonly expires_at?: string
  readonly active_hours?: { time_zone: string; days?: string[]; from: string; to: string }
  readonly max_delegation_depth?: number
  readonly require_approval?: Rule
  readonly min_reputation?: number
  readonly allowed_audiences?: string[]
  readonly x_note?: string
}

export const PERIODS = ['hour', 'day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

export type ArgumentWish = { readonly max?: number; readonly one_of?: readonly (string | number)[] }

export type Level = 'L1' | 'L2' | 'L3'

export type Grant = {
  readonly id: string
  readonly agent: string
  readonly human: string
  readonly level: Level
  readonly parent?: string
  readonly renewalOf?: string
  readonly resources: readonly string[]
  readonly actions: readonly string[]
  readonly wishes: Wishes
  /** Whether its inner limits hold everything but plain reads, for a review desk without staff. */
  readonly held?: boolean
  readonly from: number
  readonly until: number
}

type Happening =
  | { readonly what: 'asked'; readonly token: string; readonly record: string; readonly at: number }
  | {
      readonly what: 'held' | 'unheld' | 'paid'
      readonly token: string
      readonly record: string
      readonly money: bigint
    }

type Deed = {
  readonly token: string
  readonly agent: string
  readonly action: string
  readonly resource: string
  readonly estimate: bigint
  state: 'pending' | 'completed' | 'cancelled' | 'expired'
  readonly lapses: number
  score: number | null
  /** Whether a resource server reported how it ended. */
  seen: boolean
  mark: number | null
}

const MINUTE = 60_000
const HOUR_S = 3600
const LONGEST_S = { L1: 30 * 24 * HOUR_S, L2: 24 * HOUR_S, L3: 8 * HOUR_S } as const
const DEEPEST = 10
/** Nine billion dollars: the largest total of an account. */
const FULL = 9_000_000_000_000_000n
const PERSON = 2
const BASE = { L1: 4000n, L2: 7000n, L3: 9500n } as const
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export const micro = (usd: number): bigint => {
  const [whole = '0', part = ''] = usd.toFixed(6).split('.')
  return BigInt(whole) * 1_000_000n + BigInt(part)
}

const clockMinutes = (hhmm: string): number => Number(hhmm.slice(0, 2)) * 60 + Number(hhmm.slice(3))

/** The minutes of a week, counted from Sunday 00:00 in the time zone, in which the hours are open. */
export const openMinutes = (hours: NonNullable<Wishes['active_hours']>): Set<number> => {
  const open = new Set<number>()
  const from = clockMinutes(hours.from)
  const to = clockMinutes(hours.to)
  const length = to > from ? to - from : to + 24 * 60 - from
  for (const [index, day] of DAYS.entries()) {
    if (hours.days !== undefined && !hours.days.includes(day)) continue
    for (let minute = 0; minute < length; minute++)
      open.add((index * 24 * 60 + from + minute) % (7 * 24 * 60))
  }
  return open
}

const weekMinute = (at: number): number => {
  const date = new Date(at)
  return date.getUTCDay() * 24 * 60 + date.getUTCHours() * 60 + date.getUTCMinutes()
}

/** A name for the period of the UTC calendar that contains an instant. */
const periodName = (kind: Period, at: number): string => {
  const date = new Date(at)
  const text = date.toISOString()
  if (kind === 'hour') return text.slice(0, 13)
  if (kind === 'day') return text.slice(0, 10)
  if (kind === 'month') return text.slice(0, 7)
  // The Monday of the week.
  return new Date(at - ((date.getUTCDay() + 6) % 7) * 24 * 60 * MINUTE).toISOString().slice(0, 10)
}

/** Whether an argument satisfies a limit. A missing argument, or one of another type, does not. */
const keepsLimit = ({ max, one_of }: ArgumentWish, value: string | number | undefined): boolean =>
  value !== undefined &&
  (max === undefined || (typeof value === 'number' && value <= max)) &&
  (one_of === undefined || one_of.includes(value))

/** Whether one of the patterns of a scope covers a concrete name or another pattern. */
export const covers = (patterns: readonly string[], asked: string): boolean =>
  patterns.includes(asked) || patterns.includes(`${asked.split(':')[0]}:*`)

/** Everything that a chain still allows at its last token. */
export type Effective = {
  resources: readonly string[] | null
  actions: readonly string[] | null
  from: number
  until: number
  /** The earliest start and the latest end that the constraints allow, apart from the lifetimes of the tokens. */
  namedFrom: number
  namedUntil: number
  perAction: bigint | null
  /** The percentage that was named last, whether any token limits spending, and the least that any token tolerates. */
  overrun: { named: number | null; isLimited: boolean; least: number }
  hours: Set<number>[]
  reputation: number
  levelsBelow: number | null
  audiences: readonly string[] | null
  carried: string | null
  caps: {
    account: string
    spend: bigint | null
    periods: [Period, bigint][]
    actions: number | null
    perMinute: number | null
  }[]
  /** Each token's limits on arguments, and the narrowest limit by action, path and rule. */
  argumentWishes: NonNullable<Wishes['arguments']>[]
  narrowest: { periods: Map<Period, number>; arguments: Map<string, ArgumentWish> }
}

const least = <T extends bigint | number>(one: T | null, other: T | null): T | null =>
  one === null ? other : other === null ? one : one < other ? one : other

const hoursSeen = new Map<string, Set<number>>()
const openMinutesOf = (hours: NonNullable<Wishes['active_hours']>): Set<number> => {
  const key = JSON.stringify(hours)
  const known = hoursSeen.get(key) ?? openMinutes(hours)
  hoursSeen.set(key, known)
  return known
}

/** `told` contains the arguments, by JSON pointer. */
export type Question = {
  token: string
  action: string
  resource: string
  spend: bigint
  told: Readonly<Record<string, string | number>>
  /** The metadata as text. */
  words: string | undefined
  /** The approval that the request names. */
  approval?: string
}

export type Plan = {
  readonly parent: string
  readonly agent: string
  readonly resources: readonly string[] | undefined
  readonly actions: readonly string[] | undefined
  readonly wishes: Wishes
  readonly lifetime: number | undefined
}

export class Model {
  readonly tokens = new Map<string, Grant>()
  readonly deeds = new Map<string, Deed>()
  readonly happenings: Happening[] = []
  readonly approvals = new Approvals((token) => this.isRevoked(token))
  readonly revoked = new Set<string>()
  /** Suspended tokens and agents, with the rank of their suspension. */
  readonly frozen = new Map<string, number>()
  readonly sleepingAgents = new Map<string, number>()
  readonly names = new Names({
    hasToken: (agent) => [...this.tokens.values()].some((grant) => grant.agent === agent),
    hasPassedOn: (from, to) =>
      [...this.tokens.values()].some(
        ({ agent, parent }) => agent === to && parent !== undefined && this.grant(parent).agent === from,
      ),
    isAsleep: (agent) => this.sleepingAgents.has(agent),
  })

  grant(id: string): Grant {
    const found = this.tokens.get(id)
    if (found === undefined) throw new Error(`the model knows no ${id}`)
    return found
  }

  /** The chain of a token, root first. A renewal replaces the token that it renews. */
  lineage(id: string): Grant[] {
    const own = this.grant(id)
    return own.parent === undefined ? [own] : [...this.lineage(own.parent), own]
  }

  isRevoked(id: string): boolean {
    return [...this.above(id)].some((one) => this.revoked.has(one))
  }

  /** The account that a token shares with all its renewals. */
  account(id: string): string {
    const { renewalOf } = this.grant(id)
    return renewalOf === undefined ? id : this.account(renewalOf)
  }

  /** The token and all tokens that it renews, newest first. */
  renewals(id: string): string[] {
    const { renewalOf } = this.grant(id)
    return renewalOf === undefined ? [id] : [id, ...this.renewals(renewalOf)]
  }

  /** The token and everything whose revocation revokes it. */
  above(id: string): Set<string> {
    const own = this.grant(id)
    const all = new Set([id])
    for (const next of [own.parent, own.renewalOf])
      if (next !== undefined) for (const one of this.above(next)) all.add(one)
    return all
  }

  depth(id: string): number {
    return this.lineage(id).length - 1
  }

  /** In ten-thousandths, rounded half up. */
  trust(id: string): bigint {
    const depth = BigInt(this.depth(id))
    const scale = 10n ** depth
    return (2n * BASE[this.grant(id).level] * 9n ** depth + scale) / (2n * scale)
  }

  effective(id: string): Effective {
    return this.lineage(id).reduce<Effective>(
      (sum, link) => {
        const wish = link.wishes
        return {
          resources:
            sum.resources === null
              ? link.resources
              : link.resources.filter((one) => covers(sum.resources ?? [], one)),
          actions:
            sum.actions === null ? link.actions : link.actions.filter((one) => sum.actions?.includes(one)),
          // A signed token has times in whole seconds, so both ends are rounded inward.
          from: Math.max(
            sum.from,
            link.from,
            wish.not_before === undefined ? 0 : wholeSecond(Date.parse(wish.not_before) + 999),
          ),
          until: Math.min(
            sum.until,
            link.until,
            wish.expires_at === undefined ? Infinity : wholeSecond(Date.parse(wish.expires_at)),
          ),
          namedFrom: Math.max(sum.namedFrom, wish.not_before === undefined ? 0 : Date.parse(wish.not_before)),
          namedUntil: Math.min(
            sum.namedUntil,
            wish.expires_at === undefined ? Infinity : Date.parse(wish.expires_at),
          ),
          perAction: least(
            sum.perAction,
            wish.max_spend_per_action_usd === undefined ? null : micro(wish.max_spend_per_action_usd),
          ),
          overrun: overrunBelow(sum.overrun, wish, link.level),
          hours:
            wish.active_hours === undefined ? sum.hours : [...sum.hours, openMinutesOf(wish.active_hours)],
          reputation: Math.max(sum.reputation, wish.min_reputation ?? 0),
          levelsBelow: least(
            sum.levelsBelow === null ? null : sum.levelsBelow - 1,
            wish.max_delegation_depth ?? null,
          ),
          audiences: wish.allowed_audiences ?? sum.audiences,
          carried: wish.x_note ?? sum.carried,
          argumentWishes:
            wish.arguments === undefined ? sum.argumentWishes : [...sum.argumentWishes, wish.arguments],
          narrowest: narrowed(sum.narrowest, wish),
          caps: [
            ...sum.caps,
            {
              account: this.account(link.id),
              spend: wish.max_spend_usd === undefined ? null : micro(wish.max_spend_usd),
              periods: PERIODS.flatMap((kind): [Period, bigint][] => {
                const limit = wish.max_spend_usd_per?.[kind]
                return limit === undefined ? [] : [[kind, micro(limit)]]
              }),
              actions: wish.max_actions ?? null,
              perMinute: wish.max_actions_per_minute ?? null,
            },
          ],
        }
      },
      {
        resources: null,
        actions: null,
        from: 0,
        until: Infinity,
        namedFrom: 0,
        namedUntil: Infinity,
        perAction: null,
        overrun: { named: null, isLimited: false, least: Infinity },
        hours: [],
        reputation: 0,
        levelsBelow: null,
        audiences: null,
        carried: null,
        caps: [],
        argumentWishes: [],
        narrowest: { periods: new Map(), arguments: new Map() },
      },
    )
  }

  /** The sums of every account. Each event counts for the account of its token and of every ancestor. */
  books(): Map<string, { spent: bigint; reserved: bigint; asked: number[] }> {
    const books = new Map<string, { spent: bigint; reserved: bigint; asked: number[] }>()
    for (const id of this.tokens.keys()) books.set(this.account(id), { spent: 0n, reserved: 0n, asked: [] })
    for (const one of this.happenings) {
      for (const account of new Set(this.lineage(one.token).map((link) => this.account(link.id)))) {
        const page = books.get(account)
        if (page === undefined) continue
        if (one.what === 'asked') page.asked.push(one.at)
        else if (one.what === 'held') page.reserved += one.money
        else if (one.what === 'unheld') page.reserved -= one.money
        else page.spent += one.money
      }
    }
    return books
  }

  /** What an account has committed to actions that a period allowed, and how much of that is still reserved. */
  private periodPage(account: string, kind: Period, at: number): { committed: bigint; held: bigint } {
    const name = periodName(kind, at)
    const allowed = new Map(
      this.happenings.flatMap((one): [string, number][] =>
        one.what === 'asked' ? [[one.record, one.at]] : [],
      ),
    )
    const page = { committed: 0n, held: 0n }
    for (const one of this.happenings) {
      if (one.what === 'asked' || periodName(kind, allowed.get(one.record) ?? 0) !== name) continue
      if (!this.lineage(one.token).some((link) => this.account(link.id) === account)) continue
      const money = one.what === 'unheld' ? -one.money : one.money
      page.committed += money
      if (one.what !== 'paid') page.held += money
    }
    return page
  }

  /**
   * The lower bound of the interval over outcomes that others saw and ratings. The agent's own reports count a quarter
   * each, and together at most as much as those.
   */
  reputation(agent: string): number {
    const deeds = [...this.deeds.values()].filter((deed) => deed.agent === agent)
    const known = (values: (number | null)[]) => values.filter((value) => value !== null)
    const others = [
      ...known(deeds.filter((deed) => deed.seen).map((deed) => deed.score)),
      ...known(deeds.map((deed) => deed.mark)),
    ]
    const own = known(deeds.filter((deed) => !deed.seen).map((deed) => deed.score))
    if (others.length === 0) return 0
    const share = own.length === 0 ? 0 : Math.min(own.length / 4, others.length) / own.length
    const add = (values: number[]) => values.reduce((sum, value) => sum + value, 0)
    const n = others.length + own.length * share
    const p = (add(others) + add(own) * share) / n
    const z = 1.959963984540054
    return Math.max(
      0,
      (p + (z * z) / (2 * n) - z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n),
    )
  }

  /** Whether an amount would take an account of the chain beyond its largest total. */
  isFull(token: string, more: bigint): boolean {
    const books = this.books()
    return (
      more > 0n &&
      this.lineage(token).some(({ id }) => {
        const page = books.get(this.account(id))
        return page !== undefined && page.spent + page.reserved + more > FULL
      })
    )
  }

  /** Why a token is not live: revocation, suspension and times, independent of any action. */
  standing(id: string, now: number): string[] {
    const above = [...this.above(id)]
    const { from, until } = this.effective(id)
    return [
      ...(above.some((one) => this.revoked.has(one)) ? ['token_revoked'] : []),
      ...(above.some((one) => this.frozen.has(one)) ? ['token_suspended'] : []),
      // A suspended agent can't answer for the agents that it delegated to.
      ...(above.some((one) => this.sleepingAgents.has(this.grant(one).agent)) ? ['agent_suspended'] : []),
      ...(now >= until ? ['token_expired'] : []),
      ...(now < from ? ['token_not_yet_valid'] : []),
    ]
  }

  /** All reasons against an action, in the order of the answer. */
  judge(question: Question, now: number): string[] {
    const { token, action, resource, spend, told } = question
    const own = this.effective(token)
    const books = this.books()
    const page = (account: string) => books.get(account) ?? { spent: 0n, reserved: 0n, asked: [] }
    const reasons = this.standing(token, now)
    if (!own.actions?.includes(action)) reasons.push('action_not_in_scope')
    if (!covers(own.resources ?? [], resource)) reasons.push('resource_not_in_scope')
    const isKept = (wishes: NonNullable<Wishes['arguments']>) =>
      [wishes['*'] ?? {}, wishes[action] ?? {}].every((paths) =>
        Object.entries(paths).every(([path, limit]) => keepsLimit(limit, told[path])),
      )
    if (!own.argumentWishes.every(isKept)) reasons.push('argument_not_allowed')
    if (own.hours.some((open) => !open.has(weekMinute(now)))) reasons.push('outside_hours')
    const tooDear = own.caps.some((cap) => {
      if (cap.spend === null) return false
      const { spent, reserved } = page(cap.account)
      return spent + reserved + spend > cap.spend
    })
    const isUsedUp = own.caps.some((cap) => {
      const { spent, reserved } = page(cap.account)
      return cap.spend !== null && cap.spend > 0n && spent + reserved >= cap.spend
    })
    if (tooDear || isUsedUp || (own.perAction !== null && spend > own.perAction))
      reasons.push('budget_exceeded')
    const isPeriodUsedUp = (account: string, [kind, limit]: [Period, bigint]) => {
      const { committed } = this.periodPage(account, kind, now)
      return committed + spend > limit || (committed > 0n && committed >= limit)
    }
    if (own.caps.some((cap) => cap.periods.some((period) => isPeriodUsedUp(cap.account, period))))
      reasons.push('period_budget_exceeded')
    if (own.caps.some((cap) => cap.actions !== null && page(cap.account).asked.length >= cap.actions))
      reasons.push('action_limit')
    const thisMinute = (account: string) =>
      page(account).asked.filter((at) => Math.floor(at / MINUTE) === Math.floor(now / MINUTE)).length
    if (own.caps.some((cap) => cap.perMinute !== null && thisMinute(cap.account) >= cap.perMinute))
      reasons.push('rate_limit')
    if (this.reputation(this.grant(token).agent) < own.reputation) reasons.push('reputation_too_low')
    // A person is asked only about actions that everything else allows.
    if (reasons.length > 0) return reasons
    if (this.isFull(token, spend)) return ['spend_out_of_range']
    return reasons
  }

  /** The rules of the chain that want the action approved: those in its tokens, and the hidden inner limits. */
  rulesFor(asked: Pick<Question, 'token' | 'action' | 'resource' | 'spend'>): Rule[] {
    const isPlain = asked.action === 'read' && asked.spend === 0n
    const isHeld = !isPlain && this.lineage(asked.token).some(({ held }) => held)
    return [...this.shownRulesFor(asked), ...(isHeld ? [{ approvers: { count: 1, people: [] } }] : [])]
  }

  private shownRulesFor({
    token,
    action,
    resource,
    spend,
  }: Pick<Question, 'token' | 'action' | 'resource' | 'spend'>): Rule[] {
    const rules: Rule[] = []
    let rule: Rule | undefined
    for (const { wishes } of this.lineage(token)) {
      rule = joined(rule, wishes.require_approval)
      if (
        rule !== undefined &&
        (isForAll(rule) ||
          rule.actions?.includes(action) ||
          covers(rule.resources ?? [], resource) ||
          (rule.above_usd !== undefined && spend > micro(rule.above_usd)))
      )
        rules.push(rule)
    }
    return rules
  }

  wishOf(question: Question): Wish {
    const { token, action, resource, spend, words } = question
    const lineage = this.lineage(token)
    const [root] = lineage
    const { agent, human } = this.grant(token)
    const { until } = this.effective(token)
    return {
      token,
      root: root === undefined ? token : this.account(root.id),
      branch: this.account((lineage.find((one) => one.agent !== root?.agent) ?? root)?.id ?? token),
      agent,
      human,
      action,
      resource,
      spend,
      words,
      until,
    }
  }

  /** The reasons of a dry run. */
  foresee(question: Question, now: number): string[] {
    const reasons = this.judge(question, now)
    const rules = this.rulesFor(question)
    if (reasons.length > 0 || rules.length === 0) return reasons
    const reason = this.approvals.foresee(this.wishOf(question), rules, now)
    return reason === undefined ? [] : [reason]
  }

  /** The reasons against a real request, which may open an approval request or use an approval. */
  private earnest(question: Question, record: string, now: number): string[] {
    const reasons = this.judge(question, now)
    const rules = this.rulesFor(question)
    if (reasons.length > 0 || rules.length === 0) return reasons
    const id = record.slice('aar_'.length)
    const reason = this.approvals.take(this.wishOf(question), rules, id, question.approval, now)
    return reason === undefined ? [] : [reason]
  }

  authorize(question: Question, record: string, now: number, lapses: number): string[] {
    const reasons = this.earnest(question, record, now)
    if (reasons.length > 0) return reasons
    const { token, spend } = question
    this.happenings.push(
      { what: 'asked', token, record, at: now },
      { what: 'held', token, record, money: spend },
    )
    const agent = this.grant(token).agent
    this.deeds.set(record, {
      token,
      action: question.action,
      resource: question.resource,
      agent,
      estimate: spend,
      state: 'pending',
      lapses,
      score: null,
      seen: false,
      mark: null,
    })
    return reasons
  }

  record(question: Question, record: string, now: number, result: string, seen: boolean): string[] {
    const reasons = this.earnest(question, record, now)
    if (reasons.length > 0) return reasons
    const { token, spend } = question
    this.happenings.push(
      { what: 'asked', token, record, at: now },
      { what: 'paid', token, record, money: spend },
    )
    const agent = this.grant(token).agent
    const score = scoreOf(result)
    this.deeds.set(record, {
      token,
      action: question.action,
      resource: question.resource,
      agent,
      estimate: spend,
      state: 'completed',
      lapses: Infinity,
      score,
      seen,
      mark: null,
    })
    return reasons
  }

  /**
   * A settlement above its estimate that breaks a limit is over budget. One beyond the tolerance suspends the token.
   */
  complete(
    record: string,
    spend: bigint | undefined,
    result: string,
    seen: boolean,
    now: number,
  ): { overBudget: boolean; exceeded: boolean; afterRevocation: boolean } | 'closed' | 'full' {
    const deed = this.deeds.get(record)
    if (deed?.state !== 'pending') return 'closed'
    const { token, estimate } = deed
    const paid = spend ?? estimate
    if (this.isFull(token, paid - estimate)) return 'full'
    const overPeriod = this.exceedsPeriods(record, token, paid - estimate, paid, now)
    this.happenings.push(
      { what: 'unheld', token, record, money: estimate },
      { what: 'paid', token, record, money: paid },
    )
    const { caps, perAction, overrun } = this.effective(token)
    const exceeded =
      paid > estimate &&
      overrun.least !== Infinity &&
      (paid - estimate) * 100n > estimate * BigInt(overrun.least)
    deed.state = 'completed'
    deed.seen = seen
    deed.score = exceeded ? 0 : scoreOf(result)
    const afterRevocation = this.isRevoked(token)
    if (exceeded) {
      // The highest token whose limit on one action was exceeded, or that requires approval at this price.
      const passed = this.lineage(token).find(({ id }) => {
        const most = this.effective(id).perAction
        return (
          (most !== null && paid > most) || this.shownRulesFor({ ...deed, token: id, spend: paid }).length > 0
        )
      })
      const first = this.account(passed?.id ?? token)
      this.frozen.set(first, Math.max(this.frozen.get(first) ?? 0, PERSON))
    }
    const books = this.books()
    const isBroken = (account: string, limit: bigint | null) => {
      const page = books.get(account)
      return limit !== null && page !== undefined && page.spent + page.reserved > limit
    }
    return {
      overBudget:
        paid > estimate &&
        ((perAction !== null && paid > perAction) ||
          overPeriod ||
          caps.some((cap) => isBroken(cap.account, cap.spend))),
      exceeded,
      afterRevocation,
    }
  }

  /**
   * Whether a settlement takes a period past its limit. In an ended period without reservations, other spends don't
   * count.
   */
  private exceedsPeriods(record: string, token: string, more: bigint, paid: bigint, now: number): boolean {
    const asked = this.happenings.find((one) => one.what === 'asked' && one.record === record)
    const at = asked?.what === 'asked' ? asked.at : 0
    return this.effective(token).caps.some((cap) =>
      cap.periods.some(([kind, limit]) => {
        const { committed, held } = this.periodPage(cap.account, kind, at)
        const isOver = periodName(kind, at) !== periodName(kind, now) && held === 0n
        return isOver ? paid > limit : committed + more > limit
      }),
    )
  }

  cancel(record: string): boolean {
    return this.letGo(record, 'cancelled')
  }

  private letGo(record: string, state: 'cancelled' | 'expired'): boolean {
    const deed = this.deeds.get(record)
    if (deed?.state !== 'pending') return false
    this.happenings.push({ what: 'unheld', token: deed.token, record, money: deed.estimate })
    deed.state = state
    return true
  }

  sweep(now: number): string[] {
    const due = [...this.deeds]
      .filter(([, deed]) => deed.state === 'pending' && deed.lapses <= now)
      .map(([id]) => id)
    for (const id of due) this.letGo(id, 'expired')
    return due
  }

  rate(record: string, rating: 'approved' | 'flagged' | 'rejected'): boolean {
    const deed = this.deeds.get(record)
    if (deed === undefined || deed.mark !== null) return false
    deed.mark = { approved: 1, flagged: 0.5, rejected: 0 }[rating]
    return true
  }

  /** Revokes every matching token that exists now. Later ones are not affected. */
  revokeWhere(test: (grant: Grant) => boolean): void {
    for (const grant of this.tokens.values()) if (test(grant)) this.revoked.add(grant.id)
  }

  /** The reasons that forbid a delegation outright, and the names of everything that would be wider. */
  plan(plan: Plan, now: number): { refused: string[]; wider: Set<string>; child: Omit<Grant, 'id'> } {
    const parent = this.grant(plan.parent)
    const own = this.effective(plan.parent)
    const refused = this.standing(plan.parent, now)
    const actions = plan.actions ?? (own.actions ?? []).filter((one) => one !== 'delegate')
    if (
      !own.actions?.includes('delegate') ||
      (own.levelsBelow !== null && own.levelsBelow < 1) ||
      this.depth(plan.parent) >= DEEPEST ||
      actions.length === 0
    )
      refused.push('not_delegable')

    const wider = new Set<string>()
    for (const one of plan.resources ?? []) if (!covers(own.resources ?? [], one)) wider.add(one)
    for (const one of plan.actions ?? []) if (!own.actions?.includes(one)) wider.add(one)
    const left = Math.floor(own.until / 1000) - Math.floor(now / 1000)
    if (plan.lifetime !== undefined && plan.lifetime > left) wider.add('expires_in')

    const wish = plan.wishes
    const tightest = (pick: (cap: Effective['caps'][number]) => bigint | number | null) =>
      own.caps
        .map(pick)
        .reduce<bigint | number | null>(
          (low, one) => (one === null ? low : low === null || one < low ? one : low),
          null,
        )
    const above = (asked: bigint | number | undefined, cap: bigint | number | null) =>
      asked !== undefined && cap !== null && asked > cap
    const usd = (value: number | undefined) => (value === undefined ? undefined : micro(value))
    if (
      above(
        usd(wish.max_spend_usd),
        tightest((cap) => cap.spend),
      )
    )
      wider.add('max_spend_usd')
    if (above(usd(wish.max_spend_per_action_usd), own.perAction)) wider.add('max_spend_per_action_usd')
    if (above(wish.max_overrun_pct, own.overrun.least)) wider.add('max_overrun_pct')
    if (
      above(
        wish.max_actions,
        tightest((cap) => cap.actions),
      )
    )
      wider.add('max_actions')
    if (
      above(
        wish.max_actions_per_minute,
        tightest((cap) => cap.perMinute),
      )
    )
      wider.add('max_actions_per_minute')
    if (wish.not_before !== undefined && Date.parse(wish.not_before) < own.namedFrom) wider.add('not_before')
    if (wish.expires_at !== undefined && Date.parse(wish.expires_at) > own.namedUntil) wider.add('expires_at')
    // The hours and approvals of all tokens of a chain apply together, so a child can't widen them, except that it may
    // not name fewer or other approvers.
    const approvers = this.lineage(plan.parent)
      .map(({ wishes }) => wishes.require_approval)
      .reduce<Rule | undefined>(joined, undefined)?.approvers
    const named = wish.require_approval?.approvers
    if (approvers !== undefined && named !== undefined) {
      if (named.count < approvers.count) wider.add('require_approval.approvers.count')
      for (const one of named.people ?? [])
        if (approvers.people !== undefined && !approvers.people.includes(one))
          wider.add(`require_approval.approvers.people: ${one}`)
    }
    if (above(wish.max_delegation_depth, own.levelsBelow === null ? null : Math.max(0, own.levelsBelow - 1)))
      wider.add('max_delegation_depth')
    if (wish.min_reputation !== undefined && wish.min_reputation < own.reputation) wider.add('min_reputation')
    for (const one of wish.allowed_audiences ?? [])
      if (own.audiences !== null && !own.audiences.includes(one)) wider.add(`allowed_audiences: ${one}`)
    for (const [kind, limit] of Object.entries(wish.max_spend_usd_per ?? {}))
      if (above(limit, own.narrowest.periods.get(kind as Period) ?? null))
        wider.add(`max_spend_usd_per: ${kind}`)
    for (const [name, { max, one_of }] of argumentLimits(wish)) {
      const held = own.narrowest.arguments.get(name)
      if (above(max, held?.max ?? null)) wider.add(`arguments: ${name} max`)
      if (one_of?.some((one) => held?.one_of !== undefined && !held.one_of.includes(one)))
        wider.add(`arguments: ${name} one_of`)
    }
    if (wish.x_note !== undefined && wish.x_note !== own.carried) wider.add('x_note')

    return {
      refused,
      wider,
      child: {
        agent: plan.agent,
        human: parent.human,
        level: parent.level,
        parent: plan.parent,
        resources: plan.resources ?? own.resources ?? [],
        actions,
        wishes: wish,
        from: wholeSecond(now),
        until: wholeSecond(now) + 1000 * (plan.lifetime ?? Math.min(HOUR_S, left)),
      },
    }
  }

  /** The same authority with a later expiry, or null if that expiry is too late. */
  renewal(id: string, lifetime: number, now: number): Omit<Grant, 'id'> | null {
    const own = this.grant(id)
    const until = wholeSecond(now) + 1000 * lifetime
    const end = own.parent === undefined ? Infinity : this.effective(own.parent).until
    if (lifetime > LONGEST_S[own.level] || until > wholeSecond(end)) return null
    return { ...own, renewalOf: id, from: wholeSecond(now), until }
  }

  /** Whether there is a whole second in which the token could be used. */
  hasTime(grant: Omit<Grant, 'id'>, now: number): boolean {
    this.tokens.set('?', { ...grant, id: '?' })
    const { from, until } = this.effective('?')
    this.tokens.delete('?')
    return wholeSecond(until) > wholeSecond(now) && Math.ceil(from / 1000) < Math.floor(until / 1000)
  }
}

/**
 * A token that names no percentage inherits that of its parent. Without one it tolerates nothing if anything in the
 * chain limits spending, or if it is an L3 token, and any overrun otherwise.
 */
const overrunBelow = (above: Effective['overrun'], wish: Wishes, level: Level): Effective['overrun'] => {
  const named = wish.max_overrun_pct ?? above.named
  const isLimited =
    above.isLimited ||
    wish.max_spend_usd !== undefined ||
    wish.max_spend_per_action_usd !== undefined ||
    wish.max_spend_usd_per !== undefined ||
    wish.require_approval !== undefined
  const own = named ?? (isLimited || level === 'L3' ? 0 : Infinity)
  return { named, isLimited, least: Math.min(above.least, own) }
}

/** The limits of a token on arguments, by action and path. */
const argumentLimits = (wish: Wishes): [string, ArgumentWish][] =>
  Object.entries(wish.arguments ?? {}).flatMap(([action, paths]) =>
    Object.entries(paths).map(([path, limit]): [string, ArgumentWish] => [`${action} ${path}`, limit]),
  )

/** A child only narrows, so its own limit is the narrowest if it has one. */
const narrowed = (above: Effective['narrowest'], wish: Wishes): Effective['narrowest'] => {
  const limits = new Map(above.arguments)
  for (const [name, limit] of argumentLimits(wish)) limits.set(name, { ...limits.get(name), ...limit })
  const periods = new Map(above.periods)
  for (const kind of PERIODS) {
    const limit = wish.max_spend_usd_per?.[kind]
    if (limit !== undefined) periods.set(kind, limit)
  }
  return { periods, arguments: limits }
}

const scoreOf = (result: string): number | null =>
  result === 'cancelled' ? null : result === 'success' ? 1 : result === 'partial' ? 0.5 : 0

/** A signed token has times in whole seconds. */
export const wholeSecond = (at: number): number => Math.floor(at / 1000) * 1000
