// An independent implementation of the rules of approval. It stores only the list of past events, and derives habits,
// grants and denials from it anew for every request.

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const QUESTION_LASTS = 60 * MINUTE
const MOST_BELOW_ROOT = 50
const MOST_OF_BRANCH = 25
const MOST_TO_PERSON = 100

export type Rule = {
  readonly actions?: string[]
  readonly resources?: string[]
  readonly above_usd?: number
  readonly auto_approve_after?: number
  readonly approvers?: Approvers
}

export type Approvers = { count: number; people?: string[]; role?: 'reviewer' }

/** A request: the token with its root, branch, agent and person, and the action with its metadata as text. */
export type Wish = {
  readonly token: string
  readonly root: string
  readonly branch: string
  readonly agent: string
  readonly human: string
  readonly action: string
  readonly resource: string
  readonly spend: bigint
  readonly words: string | undefined
  /** When the token expires. */
  readonly until: number
}

type Asked = {
  readonly id: string
  readonly wish: Wish
  readonly until: number
  readonly approvers: readonly Approvers[]
  readonly endorsed: { who: string; reviewer: boolean }[]
  verdict: { yes: boolean; at: number; by: 'person' | 'habit' | 'grant'; grant?: string } | undefined
  grant: { until: number; most: bigint; isEnded: boolean } | undefined
  isReplaced: boolean
  isUsed: boolean
}

type Move =
  | { readonly what: 'decided'; readonly asked: Asked; readonly at: number }
  | { readonly what: 'picked'; readonly wish: Wish }

/** The rule of a token combined with those above it. It requires approval wherever any of them does. */
export function joined(above: Rule | undefined, own: Rule | undefined): Rule | undefined {
  if (above === undefined || own === undefined) return own ?? above
  const both = [above, own]
  const isOpen = both.some((rule) => isForAll(rule))
  const after = both.map((rule) => rule.auto_approve_after)
  const sums = both.flatMap((rule) => rule.above_usd ?? [])
  const approvers = own.approvers ?? above.approvers
  return {
    ...(!isOpen && {
      actions: both.flatMap((rule) => rule.actions ?? []),
      resources: both.flatMap((rule) => rule.resources ?? []),
      ...(sums.length > 0 && { above_usd: Math.min(...sums) }),
    }),
    ...(after.every((one) => one !== undefined) && { auto_approve_after: Math.max(...(after as number[])) }),
    ...(approvers !== undefined && { approvers }),
  }
}

export const isForAll = (rule: Rule): boolean =>
  rule.actions === undefined && rule.resources === undefined && rule.above_usd === undefined

const isSameRequest = (one: Wish, other: Wish): boolean =>
  one.token === other.token &&
  one.action === other.action &&
  one.resource === other.resource &&
  one.spend === other.spend &&
  one.words === other.words

const isSameKind = (one: Wish, other: Wish): boolean =>
  one.agent === other.agent &&
  one.human === other.human &&
  one.action === other.action &&
  one.resource === other.resource

/** The names and types of all members of a JSON value, as one text. */
const membersOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${[...new Set(value.map(membersOf))].sort()}]`
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${membersOf(member)}`)
    .sort()}}`
}

const shapeOf = ({ words }: Wish): string => (words === undefined ? 'none' : membersOf(JSON.parse(words)))

const isSameHabit = (one: Wish, other: Wish): boolean =>
  isSameKind(one, other) && one.root === other.root && shapeOf(one) === shapeOf(other)

export class Approvals {
  readonly asked: Asked[] = []
  readonly moves: Move[] = []
  readonly isRevoked: (token: string) => boolean

  constructor(isRevoked: (token: string) => boolean) {
    this.isRevoked = isRevoked
  }

  /** Judges a request that these rules want approved. Returns undefined if it may proceed, or the reason against it. */
  take(
    wish: Wish,
    rules: readonly Rule[],
    id: string,
    named: string | undefined,
    now: number,
  ): string | undefined {
    const before = this.decidedBefore(wish, named, now)
    if (typeof before === 'object') {
      before.isUsed = true
      return undefined
    }
    if (before !== undefined) return before
    const granted = this.grantFor(wish, rules, now)
    if (granted !== undefined) {
      this.ask(wish, rules, id, now, { by: 'grant', grant: granted.id })
      return undefined
    }
    if (this.openFor(wish, now) !== undefined) return 'approval_required'
    const isUsual = this.isUsual(wish, rules, now)
    if (isUsual && !'012'.includes(`apr_${id}`.at(-2) ?? '')) {
      this.ask(wish, rules, id, now, { by: 'habit' })
      return undefined
    }
    const limit = this.limitOn(wish, now)
    if (limit !== undefined) return limit
    if (isUsual) this.moves.push({ what: 'picked', wish })
    this.ask(wish, rules, id, now, undefined)
    return 'approval_required'
  }

  private limitOn(wish: Wish, now: number): string | undefined {
    if (this.isTired(wish, now)) return 'approval_denied'
    const open = this.asked.filter((one) => this.isOpen(one, now) && !this.isRevoked(one.wish.token))
    const related = open.filter((one) => one.wish.root === wish.root)
    const ofBranch = related.filter((one) => one.wish.branch === wish.branch)
    if (related.length >= MOST_BELOW_ROOT) return 'approval_limit_root'
    if (wish.branch !== wish.root && ofBranch.length >= MOST_OF_BRANCH) return 'approval_limit_root'
    const isFull = open.filter((one) => one.wish.human === wish.human).length >= MOST_TO_PERSON
    return isFull ? 'approval_limit_person' : undefined
  }

  /** What `take` would return without the random picks. */
  foresee(wish: Wish, rules: readonly Rule[], now: number): string | undefined {
    const before = this.decidedBefore(wish, undefined, now)
    if (before !== undefined) return typeof before === 'object' ? undefined : before
    if (this.grantFor(wish, rules, now) !== undefined) return undefined
    if (this.openFor(wish, now) !== undefined) return 'approval_required'
    if (this.isUsual(wish, rules, now)) return undefined
    return this.limitOn(wish, now) ?? 'approval_required'
  }

  /** Null if the decision counts, or else the code of the refusal. */
  decide(
    asked: Asked,
    {
      yes,
      who,
      isReviewer,
      grant,
    }: {
      yes: boolean
      who: string
      isReviewer: boolean
      grant: { minutes: number; most: bigint | undefined } | undefined
    },
    now: number,
  ): string | null {
    if (!this.isOpen(asked, now)) return 'approval_decided'
    const { wish, approvers } = asked
    if (yes && this.isRevoked(wish.token)) return 'token_not_live'
    if (approvers.length > 0) {
      if (grant !== undefined) return 'invalid_request'
      const isNamed = approvers.some(({ people, role }) => people?.includes(who) || (role && isReviewer))
      if (!isNamed && (yes || who !== wish.human)) return 'not_an_approver'
      if (yes) {
        if (asked.endorsed.some((one) => one.who === who)) return 'approval_decided'
        asked.endorsed.push({ who, reviewer: isReviewer })
        if (!approvers.every((rule) => isMet(rule, asked))) return null
      }
    } else if (yes && grant !== undefined) {
      if (grant.most !== undefined && grant.most < wish.spend) return 'invalid_request'
      asked.grant = { until: now + grant.minutes * MINUTE, most: grant.most ?? wish.spend, isEnded: false }
    }
    asked.verdict = { yes, at: now, by: 'person' }
    this.moves.push({ what: 'decided', asked, at: now })
    return null
  }

  /** Ends a grant. True if it was in force. */
  endGrant(asked: Asked, now: number): boolean {
    const current = this.hands(asked.wish).findLast((one) => one.grant !== undefined)
    if (current !== asked || asked.grant === undefined || asked.grant.isEnded) return false
    if (now >= asked.grant.until) return false
    asked.grant.isEnded = true
    return true
  }

  private ask(
    wish: Wish,
    rules: readonly Rule[],
    id: string,
    now: number,
    automatic: { by: 'habit' | 'grant'; grant?: string } | undefined,
  ): void {
    const verdict = automatic && { yes: true, at: now, ...automatic }
    if (automatic === undefined)
      for (const one of this.asked)
        if (one.verdict === undefined && isSameRequest(one.wish, wish)) one.isReplaced = true
    const named = new Map(
      rules.flatMap(({ approvers }) =>
        approvers === undefined ? [] : [[JSON.stringify(approvers), approvers]],
      ),
    )
    const asked: Asked = {
      id,
      wish,
      until: Math.min(now + QUESTION_LASTS, wish.until),
      approvers: [...named.values()],
      endorsed: [],
      verdict,
      grant: undefined,
      isReplaced: false,
      isUsed: automatic !== undefined,
    }
    this.asked.push(asked)
    if (automatic !== undefined) this.moves.push({ what: 'decided', asked, at: now })
  }

  private isOpen(one: Asked, now: number): boolean {
    return one.verdict === undefined && !one.isReplaced && now < one.until
  }

  private openFor(wish: Wish, now: number): Asked | undefined {
    return this.asked.find((one) => this.isOpen(one, now) && isSameRequest(one.wish, wish))
  }

  private decidedBefore(
    wish: Wish,
    named: string | undefined,
    now: number,
  ): Asked | 'approval_denied' | undefined {
    const given = this.asked.find(
      (one) => one.id === named && !one.isUsed && isSameRequest(one.wish, wish) && one.verdict !== undefined,
    )
    if (given?.verdict?.yes && now < given.until) return given
    if (given?.verdict?.yes === false) return 'approval_denied'
    const denials = this.asked.filter((one) => one.verdict?.yes === false && isSameRequest(one.wish, wish))
    const last = Math.max(0, ...denials.map(({ verdict }) => verdict?.at ?? 0))
    const held = [10, 20, 40, 80, 160, 320, 640, 1280][denials.length - 1] ?? 1440
    return denials.length > 0 && now < last + held * MINUTE ? 'approval_denied' : undefined
  }

  /**
   * Whether people recently denied a branch at least five times in a row, or everything below the root ten times, of
   * which at most five count per branch. Denials at the same instant count once, for the branch with the fewest.
   */
  private isTired({ root, branch }: Wish, now: number): boolean {
    const nos = new Map<number, Set<string>>()
    for (const { what, ...move } of this.moves) {
      if (what !== 'decided' || !('asked' in move)) continue
      const { wish, verdict } = move.asked
      if (wish.root !== root || verdict?.by !== 'person') continue
      if (verdict.yes) nos.clear()
      else nos.set(move.at, (nos.get(move.at) ?? new Set()).add(wish.branch))
    }
    const own = [...nos].flatMap(([at, branches]) => (branches.has(branch) ? [at] : []))
    const shares: Record<string, number> = {}
    const inOrder = [...nos].sort(([one], [other]) => one - other)
    const counting = inOrder.flatMap(([at, branches]) => {
      const fewest = Math.min(...[...branches].map((one) => shares[one] ?? 0))
      const payer = [...branches].sort().find((one) => (shares[one] ?? 0) === fewest)
      if (payer === undefined || fewest === 5) return []
      shares[payer] = fewest + 1
      return [at]
    })
    const lately: Record<string, number> = {}
    const recent = inOrder.reverse().filter(([at, branches]) => {
      const isIn = now < at + 10 * MINUTE && [...branches].some((one) => (lately[one] ?? 0) < 5)
      for (const one of branches) lately[one] = (lately[one] ?? 0) + 1
      return isIn
    })
    const held = (over: number) => [0, 10, 20, 40, 80, 160, 320, 640, 1280][Math.max(0, over)] ?? 1440
    const isHeld = (times: number[], over: number) => now < Math.max(0, ...times) + held(over) * MINUTE
    return isHeld(own, own.length - 4) || isHeld(counting, counting.length - 9) || recent.length >= 10
  }

  /** Manual approvals that count for a habit: those since the last denial, without a pause of 30 days. */
  private hands(wish: Wish): Asked[] {
    let counted: { asked: Asked; at: number }[] = []
    for (const move of this.moves) {
      if (move.what !== 'decided') continue
      const { asked, at } = move
      if (asked.verdict?.yes === false && isSameKind(asked.wish, wish)) counted = []
      if (!asked.verdict?.yes || asked.verdict.by !== 'person' || asked.approvers.length > 0) continue
      if (!isSameHabit(asked.wish, wish)) continue
      const last = counted.at(-1)
      if (last !== undefined && at - last.at >= 30 * DAY) counted = []
      counted.push({ asked, at })
    }
    return counted.map(({ asked }) => asked)
  }

  private isUsual(wish: Wish, rules: readonly Rule[], now: number): boolean {
    if (rules.some(({ approvers }) => approvers !== undefined)) return false
    const hands = this.hands(wish)
    const last = hands.at(-1)
    if (last?.verdict === undefined || now - last.verdict.at >= 30 * DAY) return false
    const since = this.moves.slice(
      this.moves.findIndex((move) => move.what === 'decided' && move.asked === last) + 1,
    )
    const isPicked = since.some((move) => move.what === 'picked' && isSameHabit(move.wish, wish))
    const automatic = since.filter(
      (move) =>
        move.what === 'decided' && move.asked.verdict?.by === 'habit' && isSameHabit(move.asked.wish, wish),
    )
    const amounts = hands.slice(-20).map((one) => one.wish.spend)
    return (
      !isPicked &&
      automatic.length < 19 &&
      amounts.some((one) => one >= wish.spend) &&
      amounts.filter((one) => 2n * one >= wish.spend).length * 2 > amounts.length &&
      rules.every(({ auto_approve_after }) => (auto_approve_after ?? Infinity) <= hands.length)
    )
  }

  private grantFor(wish: Wish, rules: readonly Rule[], now: number): Asked | undefined {
    if (rules.some(({ approvers }) => approvers !== undefined)) return undefined
    const giver = this.hands(wish).findLast((one) => one.grant !== undefined)
    if (giver?.grant === undefined || giver.grant.isEnded || now >= giver.grant.until) return undefined
    const used = this.asked.filter((one) => one.verdict?.grant === giver.id)
    const sum = used.reduce((total, one) => total + one.wish.spend, giver.wish.spend)
    return sum + wish.spend <= giver.grant.most ? giver : undefined
  }
}

function isMet({ count, people, role }: Approvers, { endorsed, wish }: Asked): boolean {
  const counted = endorsed.filter(({ who, reviewer }) => people?.includes(who) || (role && reviewer))
  return counted.length >= count && counted.some(({ who }) => who !== wish.human)
}
