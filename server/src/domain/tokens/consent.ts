import { type Constraints, canonicalJson, LEVELS, type Scope } from '@deputize/protocol'
import { authorityWidening, meet } from './narrowing.ts'

/** What a person confirmed when they signed in. An absent list was shown as "any". */
export interface Consent {
  readonly agent_id?: string
  readonly resources?: readonly string[]
  readonly actions?: readonly string[]
  readonly constraints?: Constraints
  readonly expires_in?: number
  readonly purpose?: string
}

/** The members of a token request that a consent limits. */
export interface ConsentedRequest extends Scope {
  readonly agent_id: string
  readonly constraints?: Constraints
  readonly expires_in?: number
  readonly purpose?: string
}

/** Returns the lifetime that the page showed. */
export function consentedLifetime({ expires_in }: Consent): number {
  return expires_in ?? LEVELS.L2.default_lifetime_s
}

/** Returns what a request asks for beyond what the page showed, each entry by name. */
export function beyondConsent(consent: Consent, request: ConsentedRequest): string[] {
  const { resources, actions, constraints = {} } = request
  const held = {
    scope: { resources: [...(consent.resources ?? resources)], actions: [...(consent.actions ?? actions)] },
    constraints: asParent(consent.constraints),
  }
  return [
    ...(consent.agent_id === undefined || consent.agent_id === request.agent_id
      ? []
      : [`agent_id: ${request.agent_id}`]),
    ...authorityWidening(held, { scope: { resources, actions }, constraints }),
    ...replacedLimits(consent.constraints, constraints),
    ...((request.expires_in ?? 0) > consentedLifetime(consent) ? ['expires_in'] : []),
    ...(consent.purpose === undefined || request.purpose === undefined || consent.purpose === request.purpose
      ? []
      : ['purpose']),
  ]
}

/**
 * Returns the limits that the request changes, among those that a child token could change because every action is also
 * judged by its parent's. A token that a person confirmed has no parent, so it keeps the limits that the page showed.
 */
function replacedLimits(shown: Constraints = {}, asked: Constraints): string[] {
  const replaced = (name: string, before: unknown, after: unknown) =>
    before === undefined || after === undefined || canonicalJson(before) === canonicalJson(after)
      ? []
      : [name]
  const approvers = [shown.require_approval?.approvers, asked.require_approval?.approvers]
  const [role_shown, role_asked] = approvers.map((one) => one && (one.role ?? 'people'))
  const zoneOf = ({ max_spend_usd_per: per }: Constraints) => per && (per.time_zone ?? 'UTC')
  return [
    ...replaced('active_hours', shown.active_hours, asked.active_hours),
    ...replaced('require_approval.approvers', role_shown, role_asked),
    ...replaced('max_spend_usd_per: time_zone', zoneOf(shown), zoneOf(asked)),
  ]
}

/** Returns the request, filled in with everything that the person confirmed and the request leaves out. */
export function withinConsent<Request extends ConsentedRequest>(consent: Consent, request: Request): Request {
  const constraints = meet(asParent(consent.constraints), request.constraints ?? {})
  return {
    ...request,
    ...(Object.keys(constraints).length > 0 && { constraints }),
    expires_in: request.expires_in ?? consentedLifetime(consent),
    ...(consent.purpose !== undefined && { purpose: consent.purpose }),
  }
}

/**
 * Returns the constraints of a consent as those of a parent. A parent passes on one delegation level less, but a
 * consent isn't a level.
 */
function asParent({ max_delegation_depth, ...constraints }: Constraints = {}): Constraints {
  return max_delegation_depth === undefined
    ? constraints
    : { ...constraints, max_delegation_depth: max_delegation_depth + 1 }
}
