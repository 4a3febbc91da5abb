import assert from 'node:assert/strict'
import { AuthorityError, type Claims, type Constraints } from '@deputize/protocol'
import { type Caller as AccessCaller, LOCAL_CALLER } from '../../src/access/caller.ts'
import { BatchState } from '../../src/clerk/batch-state.ts'
import type { Command, Reply } from '../../src/clerk/command.ts'
import { needsOf } from '../../src/clerk/judge.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { budgetOf } from '../../src/domain/budget.ts'
import { planDelegation } from '../../src/domain/tokens/delegation.ts'
import { innerLimitsText } from '../../src/domain/tokens/inner-limits.ts'
import { type Chain, type Token, tokenOf } from '../../src/domain/tokens/token.ts'
import { trustScore } from '../../src/domain/tokens/trust.ts'
import { withinTimes } from '../../src/operations/minting/minting.ts'
import type { OperationContext } from '../../src/operations/operation-context.ts'
import { renewToken } from '../../src/operations/tokens/renew-token.ts'
import { anAuthorization } from '../an-authorization.ts'
import {
  type Asker,
  type History,
  STEP_RANKS,
  type Step,
  type StepRank,
  type Told,
  type Wanted,
  type World,
} from './histories.ts'
import { type Grant, Model, micro, type Question, type Wishes, wholeSecond } from './model.ts'
import type { Caller, Naming } from './names.ts'

const PENDING_MS = 900_000

type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>
type Check = (reply: Reply) => void

function refuses(code: string): Check {
  return (reply) => assert.equal('refusal' in reply ? reply.refusal.code : 'none', code)
}

/** Plays a history against the model and the clerk. Resolves to the number of steps that both judged. */
export async function play(history: History, world: World): Promise<number> {
  const game = new Game(world)
  for (const step of history) await game.take(step)
  await game.commit()
  return game.judged
}

/** Commands wait for a commit step, so that batches of every size are judged. */
class Game {
  judged = 0
  private readonly world: World
  private readonly model = new Model()
  private readonly tokens = new Map<string, Token>()
  private readonly records: string[] = []
  private readonly excused = new Set<string>()
  /** People who have refused tokens at least once, and so are known. */
  private readonly refused = new Set<string>()
  private queue: { command: Command; check: Check }[] = []
  private serial = 0

  constructor(world: World) {
    this.world = world
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'issue':
        return this.issue(step)
      case 'delegate':
        return this.delegate(step)
      case 'share':
        return this.share(step)
      case 'renew':
        return this.renew(step)
      case 'authorize':
      case 'record':
        return this.ask(step)
      case 'flood':
        return this.flood(step)
      case 'complete':
        return this.complete(step)
      case 'cancel':
        return this.cancel(step)
      case 'rate':
        return this.rate(step)
      case 'revoke':
        return this.revoke(step)
      case 'suspend':
      case 'resume':
        return this.freeze(step)
      case 'suspend_agent':
      case 'resume_agent':
        return this.markAgent(step)
      case 'revoke_agent': {
        const agent_id = this.agent(step.agent)
        return this.revokeAll({ agent_id }, (grant) => grant.agent === agent_id)
      }
      case 'revoke_human': {
        const human_ref = this.human(step.human)
        return this.revokeAll({ human_ref }, (grant) => grant.human === human_ref)
      }
      case 'refuse':
      case 'accept':
        return this.refuse(step)
      case 'decide':
        return this.decide(step)
      case 'use':
        return this.use(step)
      case 'end_grant':
        return this.endGrant(step)
      case 'sweep':
        return this.sweep()
      case 'wait':
        await this.commit()
        return this.world.clock.advance(step.ms)
      case 'commit':
        return this.commit()
    }
  }

  /** Runs the waiting commands in one batch, then compares the state of every token. */
  async commit(): Promise<void> {
    const batch = this.queue
    this.queue = []
    if (batch.length === 0) return
    const commands = batch.map(({ command }) => command)
    const { replies } = await runBatch(this.world.store, commands, (cause) => {
      throw cause
    })
    for (const [position, { check }] of batch.entries()) check(replies[position] ?? { bug: 'no reply' })
    await this.compareBooks()
  }

  private put(command: Command, check: Check): void {
    this.judged += 1
    this.queue.push({ command, check })
  }

  private issue(step: Of<'issue'>): void {
    const now = this.world.clock()
    const jti = this.name('vat_root_')
    const iat = Math.floor(now / 1000)
    const agent = this.agent(step.agent)
    const human = this.human(step.human)
    const wishes = wishesOf(step.wanted, now, (person) => this.human(person))
    const grant: Grant = {
      id: jti,
      agent,
      human,
      level: step.level,
      held: step.level === 'L3' && step.held,
      resources: step.resources,
      actions: step.actions,
      wishes,
      from: iat * 1000,
      until: (iat + step.lifetime) * 1000,
    }
    const claims = timed({
      ...this.commonClaims(jti, agent, human, step.level),
      iat,
      nbf: iat,
      exp: iat + step.lifetime,
      svc_scope: { resources: step.resources, actions: step.actions },
      svc_provenance_ref: `prov_${jti}`,
      svc_delegation_depth: 0,
      svc_root_jti: jti,
      svc_constraints: wishes as Constraints,
      ...confirmation(this.keyName(step.key)),
    })
    assert.equal(claims !== undefined, this.model.hasTime(grant, now), 'a root has time left')
    if (claims === undefined) return
    const naming = this.naming(step, agent, { agent, human })
    const refusal =
      notLive(this.asleep(agent)) ??
      (this.model.names.refusing.has(human) ? { code: 'human_refuses' } : undefined) ??
      this.nameRefusal(naming)
    const command = { kind: 'issue', ...this.signed(claims, naming, grant.held) } as const
    this.keep(command, claims, grant, naming, refusal)
  }

  private delegate(step: Of<'delegate'>): void {
    const parent = this.pick(step.token)
    if (parent === undefined) return
    const now = this.world.clock()
    const jti = this.name('vat_sub_')
    const agent = this.agent(step.agent)
    const wishes = wishesOf(step.wanted, now, (person) => this.human(person))
    const { resources, actions, lifetime } = step
    const expected = this.model.plan({ parent: parent.jti, agent, wishes, resources, actions, lifetime }, now)
    const request = {
      resources,
      actions,
      constraints: wishes as Constraints,
      expires_in_s: lifetime,
      audience: undefined,
    }
    const plan = planDelegation(parent, request, now)
    assert.equal(plan.obstacle !== undefined, expected.refused.includes('not_delegable'), 'an obstacle')
    assert.deepEqual(new Set(plan.widening), expected.wider, 'what is wider')
    this.judged += 1
    if (plan.obstacle !== undefined || plan.widening.length > 0) return

    const iat = Math.floor(now / 1000)
    const claims = timed({
      ...this.commonClaims(jti, agent, parent.human_ref, parent.assurance_level),
      iat,
      nbf: Math.max(iat, parent.claims.nbf),
      exp: plan.exp_s,
      svc_scope: plan.scope,
      svc_provenance_ref: parent.provenance_ref,
      svc_delegation_depth: plan.delegation_depth,
      svc_root_jti: parent.root_jti,
      svc_parent_jti: parent.jti,
      svc_constraints: plan.constraints,
      ...confirmation(this.keyName(step.key)),
    })
    assert.equal(claims !== undefined, this.model.hasTime(expected.child, now), 'a child has time left')
    if (claims === undefined) return
    const grant = { ...expected.child, id: jti }
    const naming = this.naming(step, agent, this.model.grant(parent.jti))
    const refusal = notLive(expected.refused) ?? notLive(this.asleep(agent)) ?? this.nameRefusal(naming)
    const command = { kind: 'delegate', above_jti: parent.jti, ...this.signed(claims, naming) } as const
    this.keep(command, claims, grant, naming, refusal)
    if (refusal !== undefined) return
    assert.deepEqual(new Set(plan.scope.resources), new Set(this.model.effective(jti).resources))
    assert.deepEqual(new Set(plan.scope.actions), new Set(this.model.effective(jti).actions))
    this.compareTrust(jti, parent.jti)
  }

  private share({ token, agent, mask, wanted, by, key }: Of<'share'>): void {
    const held = this.pick(token)?.scope
    if (held === undefined) return
    const keep = (_: string, position: number) => ((mask >> position) & 1) === 1
    const resources = held.resources.filter(keep)
    const actions = held.actions.filter(
      (action, position) => action === 'delegate' || !keep(action, position + 4),
    )
    this.delegate({
      do: 'delegate',
      token,
      agent,
      wanted,
      ...(resources.length > 0 && { resources }),
      ...(actions.length > 1 && { actions }),
      ...(by !== undefined && { by }),
      ...(key !== undefined && { key }),
    })
  }

  /** Renewing reads the chain and writes the token itself, so the operation is called as by a client. */
  private async renew(step: Of<'renew'>): Promise<void> {
    const token = this.pick(step.token)
    if (token === undefined) return
    await this.commit()
    const now = this.world.clock()
    const dead = this.model.standing(token.jti, now)
    const grant = this.model.renewal(token.jti, step.lifetime, now)
    const own = this.model.grant(token.jti)
    const caller = this.caller(step.by, own)
    const refused = this.model.names.renewalRefusal(own, caller)
    const isPossible =
      dead.length === 0 && grant !== null && this.model.hasTime(grant, now) && refused === undefined
    const outcome = await this.callRenew(token.jti, step.lifetime, accessCaller(caller))
    this.judged += 1
    assert.equal(outcome !== undefined, isPossible, `renewing, which the model finds ${[...dead, refused]}`)
    if (outcome === undefined || grant === null) return
    // A renewal has no key, and a person who renews their own token takes no name.
    if (step.by !== 'person') this.model.names.keep({ agent: own.agent, key: undefined, caller })
    this.model.tokens.set(outcome.jti, { ...grant, id: outcome.jti })
    this.tokens.set(outcome.jti, registered(outcome.claims))
  }

  private async callRenew(vat_jti: string, expires_in: number, caller: AccessCaller) {
    const context = {
      clock: this.world.clock,
      public_url: () => 'http://127.0.0.1:8420',
      reader: { standing: { chain: async (jti: string) => this.chain(jti) }, words: async () => new Map() },
      keys: { active: () => ({ kid: 'model', sign: async () => new Uint8Array(64) }) },
      statusIndexes: { next: () => statusIndex() },
      policies: [],
      verification: { signIn: { providers: [] } },
      clerk: {
        submit: async (command: Command) => {
          const { replies } = await runBatch(this.world.store, [command], (cause) => {
            throw cause
          })
          const [reply] = replies
          if (reply !== undefined && 'refusal' in reply) {
            const { code } = reply.refusal
            assert.ok(['human_refuses', 'agent_taken'].includes(code), `the clerk checks ${code} at last`)
            throw new AuthorityError(code)
          }
          assert.ok(reply !== undefined && 'outcome' in reply, 'the clerk takes what was checked before')
          return reply
        },
      },
    } as unknown as OperationContext // only what the operation uses
    const call = {
      operation_id: 'renewToken',
      body: { vat_jti, expires_in },
      params: {},
      caller,
      idempotency_key: undefined,
      onReplay() {},
    }
    try {
      return await renewToken(call as unknown as Parameters<typeof renewToken>[0], context)
    } catch (error) {
      if (error instanceof AuthorityError) return undefined
      throw error
    }
  }

  private ask(step: Of<'authorize' | 'record'>): void {
    const token = this.pick(step.token)
    if (token === undefined) return
    const now = this.world.clock()
    const above = this.model.grant(token.jti).renewalOf ?? this.model.grant(token.jti).parent
    const suffix = this.name('')
    const aar_id = `aar_${suffix}`
    const spend = micro(step.usd)
    const { result } = step
    const { action, resource } = step.fits ? fitting(step, token) : step
    const metadata = step.told === undefined ? undefined : JSON.stringify(step.told)
    const question = { action, resource, spend, told: pointers(step.told), words: metadata }
    const parts = { action, resource, spend_micro_usd: Number(spend), metadata }
    const upward = above === undefined ? undefined : this.dryRun(above, parts, question, now)
    const asked = { token: token.jti, ...question }
    const reasons =
      step.do === 'authorize'
        ? this.model.authorize(asked, aar_id, now, now + PENDING_MS)
        : this.model.record(asked, aar_id, now, result, step.evidence === 'observed')
    if (reasons.length === 0) this.records.push(aar_id)
    const command = { ...askOf(suffix, token.jti, parts), evidence: step.evidence }
    const check: Check = (reply) => {
      assert.deepEqual(reasonsOf(reply), reasons, `reasons against ${action} on ${resource}`)
      if (reasons.length > 0 || upward === undefined) return
      const isRenewal = this.model.grant(token.jti).renewalOf !== undefined
      const pardoned = [...PARDONED, ...(isRenewal ? ['token_expired', 'token_not_yet_valid'] : [])]
      const against = upward.reasons.filter((reason) => !pardoned.includes(reason))
      assert.deepEqual(against, [], 'a child is allowed what its parent is not')
    }
    if (step.do === 'authorize')
      this.put({ kind: 'authorize', dry_run: false, pending_ttl_ms: PENDING_MS, ...command }, check)
    else this.put({ kind: 'record_action', result, result_hash: undefined, ...command }, check)
  }

  /** Makes the same request with the token above, as a dry run. */
  private dryRun(
    above: string,
    parts: Parameters<typeof askOf>[2],
    question: Omit<Question, 'token'>,
    now: number,
  ): { reasons: string[] } {
    const expected = this.model.foresee({ token: above, ...question }, now)
    const upward = { reasons: [] as string[] }
    const command = askOf(this.name(''), above, parts)
    this.put({ kind: 'authorize', dry_run: true, pending_ttl_ms: PENDING_MS, ...command }, (reply) => {
      upward.reasons = reasonsOf(reply)
      assert.deepEqual(upward.reasons, expected, 'reasons of a dry run')
    })
    return upward
  }

  /** Repeats a request with its approval. */
  private use({ question: number, how }: Of<'use'>): void {
    const question = this.question(number)
    if (question === undefined) return
    const now = this.world.clock()
    const { token, action, resource, spend, words } = question.wish
    const told = pointers(words === undefined ? undefined : JSON.parse(words))
    const suffix = this.name('')
    const aar_id = `aar_${suffix}`
    const asked = { token, action, resource, spend, told, words, approval: question.id }
    const reasons =
      how === 'authorize'
        ? this.model.authorize(asked, aar_id, now, now + PENDING_MS)
        : this.model.record(asked, aar_id, now, 'success', false)
    if (reasons.length === 0) this.records.push(aar_id)
    const parts = { action, resource, spend_micro_usd: Number(spend), metadata: words }
    const command = { ...askOf(suffix, token, parts), approval_id: `apr_${question.id}` }
    const check: Check = (reply) =>
      assert.deepEqual(reasonsOf(reply), reasons, 'reasons against an approved action')
    if (how === 'authorize')
      this.put({ kind: 'authorize', dry_run: false, pending_ttl_ms: PENDING_MS, ...command }, check)
    else this.put({ kind: 'record_action', result: 'success', result_hash: undefined, ...command }, check)
  }

  private decide({ question: number, yes, person, grant }: Of<'decide'>): void {
    const question = this.question(number)
    if (question === undefined) return
    const who = this.human(person)
    const isReviewer = person === 3
    const most = grant?.usd === undefined ? undefined : micro(grant.usd)
    const refused = this.model.approvals.decide(
      question,
      { yes, who, isReviewer, grant: grant && { minutes: grant.minutes, most } },
      this.world.clock(),
    )
    this.put(
      {
        kind: 'decide_approval',
        approval_id: `apr_${question.id}`,
        decision: yes ? 'approved' : 'denied',
        by: who,
        decider: { refs: [who], is_reviewer: isReviewer },
        note: undefined,
        grant: grant && {
          lifetime_ms: grant.minutes * 60_000,
          max_spend_micro_usd: most === undefined ? undefined : Number(most),
        },
      },
      (reply) => {
        if (refused !== null) return refuses(refused)(reply)
        assert.ok('outcome' in reply, JSON.stringify(reply))
      },
    )
  }

  private endGrant({ question: number }: Of<'end_grant'>): void {
    const question = this.question(number)
    if (question === undefined) return
    const ended = this.model.approvals.endGrant(question, this.world.clock())
    this.put({ kind: 'end_grant', approval_id: `apr_${question.id}` }, (reply) =>
      assert.deepEqual('outcome' in reply && reply.outcome, { ended }, 'a grant ends'),
    )
  }

  private question(number: number) {
    const { asked } = this.model.approvals
    return asked.at(number % asked.length)
  }

  private flood({ token, how }: Of<'flood'>): void {
    for (let n = 0; n < 10; n += 1)
      this.ask({
        do: how,
        token,
        action: 'read',
        resource: 'mail:in',
        usd: 1e9,
        result: 'success',
        evidence: 'self_reported',
        fits: true,
      })
  }

  private complete(step: Of<'complete'>): void {
    const aar_id = this.records.at(step.record % this.records.length)
    if (aar_id === undefined) return
    const deed = this.model.deeds.get(aar_id)
    const spend = step.usd === undefined ? undefined : micro(step.usd)
    const expected = this.model.complete(
      aar_id,
      spend,
      step.result,
      step.evidence === 'observed',
      this.world.clock(),
    )
    const isKept = typeof expected === 'object'
    if (isKept && expected.overBudget && deed !== undefined)
      for (const one of this.model.above(deed.token)) this.excused.add(this.model.account(one))
    this.put(
      {
        kind: 'complete',
        aar_id,
        result: step.result,
        result_hash: undefined,
        spend_micro_usd: spend === undefined ? undefined : Number(spend),
        metadata: undefined,
        completion: this.name(''),
        evidence: step.evidence,
      },
      (reply) => {
        if (!isKept) return refuses(expected === 'full' ? 'spend_out_of_range' : 'record_closed')(reply)
        assert.ok('outcome' in reply, 'a record was open')
        const record = reply.outcome as {
          over_budget?: true
          exceeded?: true
          completed_after_revocation?: true
        }
        assert.equal(record.exceeded ?? false, expected.exceeded, 'exceeded')
        assert.equal(record.over_budget ?? false, expected.overBudget, 'over budget')
        assert.equal(record.completed_after_revocation ?? false, expected.afterRevocation, 'after revocation')
      },
    )
  }

  private cancel(step: Of<'cancel'>): void {
    const aar_id = this.records.at(step.record % this.records.length)
    if (aar_id === undefined) return
    this.model.cancel(aar_id)
    const isCancelled = this.model.deeds.get(aar_id)?.state === 'cancelled'
    this.put({ kind: 'cancel', aar_id, evidence: 'self_reported' }, (reply) =>
      assert.equal('outcome' in reply, isCancelled, 'a record is cancelled'),
    )
  }

  private rate({ record, rating }: Of<'rate'>): void {
    const aar_id = this.records.at(record % this.records.length)
    if (aar_id === undefined) return
    const isFirst = this.model.rate(aar_id, rating)
    this.put({ kind: 'rate', aar_id, rating, note: undefined, rater_assurance: 'none' }, (reply) =>
      assert.equal('outcome' in reply, isFirst, 'the first rating counts'),
    )
  }

  private revoke(step: Of<'revoke'>): void {
    const token = this.pick(step.token)
    if (token === undefined) return
    // An agent must not continue with the token that was renewed.
    for (const one of [token.jti, this.model.account(token.jti)]) this.model.revoked.add(one)
    this.put({ kind: 'revoke', vat_jti: token.jti, ...NO_REASON }, (reply) => assert.ok('outcome' in reply))
  }

  private freeze({ do: kind, token: number, rank }: Of<'suspend' | 'resume'>): void {
    const token = this.pick(number)
    if (token === undefined) return
    const { frozen } = this.model
    const together =
      kind === 'suspend' ? [token.jti, this.model.account(token.jti)] : this.model.renewals(token.jti)
    const height = STEP_RANKS.indexOf(rank)
    const isTooLow = kind === 'resume' && together.some((one) => height < (frozen.get(one) ?? 0))
    const checks = isTooLow ? [] : together.map((one) => this.frozen(frozen, one, kind, rank))
    const check = checks[0] ?? refuses('rank_too_low')
    this.put({ kind, target: { vat_jti: token.jti }, rank, ...NO_REASON }, check)
  }

  /** A suspension can only rise in rank, and only its rank or a higher one can lift it. */
  private frozen(ranks: Map<string, number>, id: string, kind: 'suspend' | 'resume', rank: StepRank): Check {
    const held = ranks.get(id)
    const height = STEP_RANKS.indexOf(rank)
    if (kind === 'suspend') {
      ranks.set(id, Math.max(held ?? 0, height))
      return (reply) => assert.ok('outcome' in reply, 'suspending is never refused')
    }
    if (held !== undefined && height < held) return refuses('rank_too_low')
    ranks.delete(id)
    return (reply) => assert.ok('outcome' in reply, 'the rank suffices')
  }

  private markAgent(step: Of<'suspend_agent' | 'resume_agent'>): void {
    const agent_id = this.agent(step.agent)
    const isKnown = [...this.model.tokens.values()].some(({ agent }) => agent === agent_id)
    const { rank } = step
    const kind = step.do === 'suspend_agent' ? 'suspend' : 'resume'
    const check = isKnown
      ? this.frozen(this.model.sleepingAgents, agent_id, kind, rank)
      : refuses('agent_unknown')
    // A key stands for one program, whatever names it has.
    if (isKnown && kind === 'suspend')
      for (const other of this.model.names.sharing(agent_id))
        this.frozen(this.model.sleepingAgents, other, kind, rank)
    this.put({ kind, target: { agent_id }, rank, ...NO_REASON }, check)
  }

  /** A person becomes known with the commit of their first token. */
  private async revokeAll(
    owner: { agent_id: string } | { human_ref: string },
    isOwned: (grant: Grant) => boolean,
  ): Promise<void> {
    await this.commit()
    const isRefusing = 'human_ref' in owner && this.refused.has(owner.human_ref)
    const isKnown = isRefusing || [...this.model.tokens.values()].some(isOwned)
    this.model.revokeWhere(isOwned)
    this.put({ kind: 'revoke_all', owner, ...NO_REASON }, (reply) =>
      assert.equal('outcome' in reply, isKnown, 'the owner is known'),
    )
  }

  private refuse({ do: what, human: number }: Of<'refuse' | 'accept'>): void {
    const human_ref = this.human(number)
    const { refusing } = this.model.names
    const refuses = what === 'refuse'
    const changed = refusing.has(human_ref) !== refuses
    if (refuses) refusing.add(human_ref)
    else refusing.delete(human_ref)
    if (changed) this.refused.add(human_ref)
    this.put({ kind: 'refuse_tokens', human_ref, refuses }, (reply) => {
      assert.ok('outcome' in reply, 'a person may always refuse')
      const outcome = reply.outcome as { refuses: boolean; changed: boolean }
      assert.deepEqual([outcome.refuses, outcome.changed], [refuses, changed], 'not in my name')
    })
  }

  private sweep(): void {
    this.model.sweep(this.world.clock())
    this.put({ kind: 'sweep', limit: 1_000_000 }, (reply) => assert.ok('outcome' in reply))
  }

  private keep(
    command: Command,
    claims: Claims,
    grant: Grant,
    naming: Naming,
    refusal: Refused | undefined,
  ): void {
    if (refusal === undefined) {
      this.model.names.keep(naming)
      this.model.tokens.set(grant.id, grant)
      this.tokens.set(grant.id, registered(claims))
    }
    this.put(command, (reply) => {
      const found = 'refusal' in reply ? reply.refusal : undefined
      assert.deepEqual(
        [found?.code, found?.members.reasons],
        [refusal?.code, refusal?.reasons],
        `reasons against ${command.kind}`,
      )
    })
  }

  private nameRefusal(naming: Naming): Refused | undefined {
    const code = this.model.names.refusal(naming)
    return code === 'token_not_live' ? notLive(['agent_suspended']) : code && { code }
  }

  private keyName(key: number | undefined): string | undefined {
    return key === undefined ? undefined : `${this.world.prefix}-key-${key}`
  }

  private naming(
    { by, key }: { by?: Asker; key?: number },
    agent: string,
    asking: { agent: string; human: string },
  ): Naming {
    return { agent, key: this.keyName(key), caller: this.caller(by, asking) }
  }

  private caller(by: Asker | undefined, { agent, human }: { agent: string; human: string }) {
    const callers = {
      developer_0: `key:${this.world.prefix}-0`,
      developer_1: `key:${this.world.prefix}-1`,
      person: `human:${human}`,
      agent: `agent:${agent}`,
    } as const satisfies Record<Asker, Caller>
    return by && callers[by]
  }

  private signed(claims: Claims, { caller }: Naming, holds = false) {
    const jwt_hash = `sha256:${this.serial}`
    const actors = caller === undefined ? undefined : [caller]
    const inner_limits =
      claims.svc_assurance_level === 'L3'
        ? innerLimitsText({ holds, above_micro_usd: undefined }, jwt_hash)
        : undefined
    return {
      actors,
      claims,
      purpose: undefined,
      compact_jwt: '',
      jwt_hash,
      status_index: statusIndex(),
      inner_limits,
    }
  }

  private async compareBooks(): Promise<void> {
    const books = this.model.books()
    for (const jti of this.tokens.keys()) {
      const chain = await this.chain(jti)
      assert.ok(chain !== undefined, `${jti} is stored`)
      const [{ token, state }] = chain
      const budget = budgetOf(token.limits, state)
      if (budget !== undefined) {
        const { allocated_micro_usd, spent_micro_usd, reserved_micro_usd, remaining_micro_usd } = budget
        assert.equal(allocated_micro_usd, spent_micro_usd + reserved_micro_usd + remaining_micro_usd)
        assert.ok(remaining_micro_usd >= 0 || this.excused.has(this.model.account(jti)), 'overspent')
      }
      const page = books.get(jti)
      // A renewal's sums are counted for the token that it renews.
      if (page === undefined || this.model.grant(jti).renewalOf !== undefined) continue
      assert.equal(BigInt(state.spent_micro_usd), page.spent, `spent by ${jti}`)
      assert.equal(BigInt(state.reserved_micro_usd), page.reserved, `reserved by ${jti}`)
      assert.equal(state.actions, page.asked.length, `actions of ${jti}`)
    }
  }

  private compareTrust(jti: string, above: string): void {
    const trust = (id: string) => {
      const { assurance_level, delegation_depth } = this.tokens.get(id) ?? assert.fail(id)
      const score = trustScore(assurance_level, delegation_depth)
      assert.equal(BigInt(Math.round(score * 10_000)), this.model.trust(id), `trust of ${id}`)
      return score
    }
    assert.ok(trust(jti) <= trust(above), 'trust rises')
  }

  private async chain(jti: string): Promise<Chain | undefined> {
    return this.world.store.transact(needsOf([]), (facts) => ({
      changes: new BatchState(facts).changes,
      result: facts.chain(jti),
    }))
  }

  private asleep(agent: string): string[] {
    return this.model.sleepingAgents.has(agent) ? ['agent_suspended'] : []
  }

  private pick(number: number): Token | undefined {
    return [...this.tokens.values()].at(number % this.tokens.size)
  }

  private name(prefix: string): string {
    return `${prefix}${this.world.prefix}_${this.serial++}`
  }

  private agent(number: number): string {
    return `${this.world.prefix}-agent-${number}`
  }

  private human(number: number): string {
    return `sha256:${this.world.prefix}-${number}`
  }

  private commonClaims(jti: string, agent: string, human: string, level: Grant['level']) {
    return {
      iss: 'urn:model',
      sub: `agent:${agent}`,
      jti,
      svc_env: 'open',
      svc_trust_score: 0,
      svc_assurance_level: level,
      svc_human_ref: human,
    }
  }
}

/** The refusal that the model expects. */
type Refused = { readonly code: string; readonly reasons?: readonly string[] }

function notLive(reasons: readonly string[]): Refused | undefined {
  return reasons.length === 0 ? undefined : { code: 'token_not_live', reasons }
}

function accessCaller(caller: Caller | undefined): AccessCaller {
  if (caller === undefined) return LOCAL_CALLER
  const [, id = ''] = caller.split(/^(?:key|human):/)
  const common = { tenant_id: 'default', name: caller }
  if (caller.startsWith('key:')) return { ...common, role: 'developer', key_id: id, audience: undefined }
  return {
    ...common,
    role: 'human',
    human_ref: id,
    human_refs: [id],
    assurance_level: 'L2',
    amr: [],
    auth_time_ms: 0,
    session_key: '',
    csrf_token: '',
  }
}

function confirmation(key: string | undefined): Pick<Claims, 'cnf'> {
  return key === undefined ? {} : { cnf: { jkt: key } }
}

const NO_REASON = { reason: undefined }
/**
 * Reasons that may apply to the token above but not to the one that acts, because they depend on the agent and the
 * token.
 */
const PARDONED = ['reputation_too_low', 'approval_required', 'approval_denied']

let statuses = 0
const statusIndex = () => statuses++

function wishesOf(
  { starts_in, ends_in, require_approval, ...rest }: Wanted,
  now: number,
  refOf: (person: number) => string,
): Wishes {
  const at = (seconds: number) => new Date(wholeSecond(now) + seconds * 1000).toISOString()
  const approvers = require_approval?.approvers
  const people = approvers?.people?.map((person) => refOf(Number(person)))
  const named = approvers && { approvers: { ...approvers, ...(people !== undefined && { people }) } }
  return {
    ...rest,
    ...(require_approval !== undefined && { require_approval: { ...require_approval, ...named } }),
    ...(starts_in !== undefined && { not_before: at(starts_in) }),
    ...(ends_in !== undefined && { expires_at: at(ends_in) }),
  }
}

/** The claims limited to the times of their constraints, or undefined if no lifetime is left. */
function timed(claims: Claims): Claims | undefined {
  try {
    return withinTimes(claims, {})
  } catch (error) {
    if (error instanceof AuthorityError) return undefined
    throw error
  }
}

function registered(claims: Claims): Token {
  return tokenOf(claims, { jwt_hash: '', issued_at_ms: 0, log_index: 0 })
}

function askOf(
  suffix: string,
  vat_jti: string,
  parts: { action: string; resource: string; spend_micro_usd: number; metadata: string | undefined },
) {
  return anAuthorization({ suffix, vat_jti, ...parts, binding: JSON.stringify([vat_jti, parts]) })
}

/** Arguments by JSON pointer, as the model reads them. */
function pointers(told: Told | undefined): Record<string, string | number> {
  return Object.fromEntries(Object.entries(told ?? {}).map(([name, value]) => [`/${name}`, value]))
}

/** The nearest request that the scope of the token allows. */
function fitting({ action, resource }: { action: string; resource: string }, { scope }: Token) {
  const [held = resource] = scope.resources
  return {
    action: scope.actions.includes(action) ? action : (scope.actions[0] ?? action),
    resource: scope.resources.includes(resource) ? resource : held.replace('*', 'any'),
  }
}

function reasonsOf(reply: Reply): string[] {
  if ('refusal' in reply && reply.refusal.code === 'spend_out_of_range') return ['spend_out_of_range']
  assert.ok('outcome' in reply, JSON.stringify(reply))
  const outcome = reply.outcome as { allowed: boolean; reasons?: string[] }
  assert.equal(outcome.allowed, outcome.reasons === undefined)
  return [...(outcome.reasons ?? [])]
}
