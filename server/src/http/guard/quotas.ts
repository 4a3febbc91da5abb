import { AuthorityError } from '@deputize/protocol'
import type { Caller, HumanCaller } from '../../access/caller.ts'
import type { KeyedAccess } from '../../access/keyed-access.ts'
import type { AnswerHeaders } from '../arrived-request.ts'
import { rateLimiter } from './rate-limit.ts'

/** Requests per minute of a workflow's tokens that are no longer in force: enough to complete what was begun. */
const ENDED_TOKENS_PER_MINUTE = 60

/** Stops per minute of one token that count separately. Further ones are ordinary calls: no agent floods the lane. */
const AGENT_STOPS_PER_MINUTE = 60

/** Visits per minute of one person to the pages for people that count separately. More are ordinary calls. */
const VISITS_PER_MINUTE = 60

/** Counts a request and reports the count in the headers of the answer. A limit of 0 means no limit. */
export function rateLimit(name: string, limit_per_minute: number, clock: () => number) {
  const limiter = rateLimiter(limit_per_minute, clock)
  const policyOf = (limit: number) => `"${name}";q=${limit};w=60`
  const usual = policyOf(limit_per_minute)
  return (who: string, reply: AnswerHeaders, limit = limit_per_minute): AuthorityError | undefined => {
    if (limit === 0) return undefined
    const { isAllowed, remaining, reset_s } = limiter.count(who, limit)
    reply.header('ratelimit-policy', limit === limit_per_minute ? usual : policyOf(limit))
    reply.header('ratelimit', `"${name}";r=${remaining};t=${reset_s}`)
    if (isAllowed) return undefined
    reply.header('retry-after', String(reset_s))
    return new AuthorityError('rate_limited')
  }
}

/** The quotas of callers with a credential. */
export interface Quotas {
  /** Counts an ordinary call for its caller and for the tenant. */
  countCall(caller: Caller, reply: AnswerHeaders): Promise<AuthorityError | undefined>
  /** Counts a stop for its caller alone, apart from its other calls. Agents have a small allowance. */
  countStop(caller: Caller, reply: AnswerHeaders): Promise<AuthorityError | undefined>
  /** People stop their agents on pages, so they have a small allowance that no other calls can use up. */
  countVisit(person: HumanCaller, reply: AnswerHeaders): Promise<AuthorityError | undefined>
}

export interface QuotaOptions {
  readonly keyed: Pick<KeyedAccess, 'tenantLimit' | 'isInForce'>
  readonly limit_per_minute: number
  readonly clock: () => number
}

/**
 * Agents are limited more strictly than the people and programs that manage them: all tokens of a workflow together use
 * at most half of the tenant's total, and tokens that are no longer in force have their own small quota, even in a
 * tenant without a limit. So one rogue agent can neither use up everyone else's quota nor fill the log once it is
 * stopped.
 */
export function openQuotas({ keyed, limit_per_minute, clock }: QuotaOptions): Quotas {
  const limitCaller = rateLimit('caller', limit_per_minute, clock)
  const limitStops = rateLimit('stop', limit_per_minute, clock)
  const limitEnded = rateLimit('ended', ENDED_TOKENS_PER_MINUTE, clock)
  const limitWorkflow = rateLimit('workflow', 0, clock)
  const limitTenant = rateLimit('tenant', 0, clock)
  const agentStops = rateLimiter(AGENT_STOPS_PER_MINUTE, clock)
  const visits = rateLimiter(VISITS_PER_MINUTE, clock)

  async function countCall(caller: Caller, reply: AnswerHeaders): Promise<AuthorityError | undefined> {
    const limited = limitCaller(caller.name, reply)
    if (limited !== undefined) return limited
    const isAgent = caller.role === 'agent'
    if (isAgent && !(await keyed.isInForce(caller.jti))) return limitEnded(caller.provenance_ref, reply)
    const total = await keyed.tenantLimit(caller.tenant_id)
    if (total === 0) return undefined
    if (!isAgent) return limitTenant(caller.tenant_id, reply, total)
    return (
      limitWorkflow(caller.provenance_ref, reply, Math.ceil(total / 2)) ??
      limitTenant(caller.tenant_id, reply, total)
    )
  }

  return {
    countCall,
    async countStop(caller, reply) {
      const isOrdinary = caller.role === 'agent' && !agentStops.count(caller.jti).isAllowed
      return isOrdinary ? countCall(caller, reply) : limitStops(caller.name, reply)
    },
    countVisit: async (person, reply) =>
      visits.count(person.name).isAllowed ? undefined : countCall(person, reply),
  }
}
