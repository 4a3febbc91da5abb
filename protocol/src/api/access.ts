/** What a tenant can require a fresh passkey for. */
export const STEP_UPS = [
  'rate',
  'approve',
  'issue_l2',
  'revoke_many',
  'erase',
  'passkeys',
  'duress',
  'vouch',
] as const
export type StepUp = (typeof STEP_UPS)[number]

/** Callers in keyed mode. A credential has exactly one role in exactly one tenant. */
export const ROLES = {
  operator:
    'Runs a tenant: its keys, settings and people. Can revoke and suspend agents, but never acts, rates or approves.',
  developer: 'Builds agents: issues tokens at L1, registers agents, watches, revokes and suspends them.',
  human: 'A signed-in person. Rates, approves, revokes and erases what belongs to them.',
  agent: 'An agent with its own token. Acts and delegates.',
  resource_server:
    'A service that agents call. Authorizes and records actions with the tokens that agents present to it.',
  auditor: 'Reads everything in a tenant and changes nothing.',
  safety:
    'The safety desk of a tenant. Decides about actions that are held for review, and gets alerts about coercion. No other role sees these.',
} as const satisfies Record<string, string>

export type Role = keyof typeof ROLES

/** How far a role reaches. Anything outside is answered as if it did not exist. */
export const REACHES = {
  any: 'the call is not about a particular thing',
  deployment: 'only with a credential of the tenant `default`, which runs the whole deployment',
  tenant: 'everything in the tenant',
  own: 'people: everything done on their behalf; agents: their own token',
  opened:
    'agents: records that they opened with their own token, or with one that it renews. Only the resource server that opened a record can close it; otherwise an agent could undo its spending there',
  below: 'the token of the caller and everything delegated from it',
  workflow: 'the workflow that the token of the caller belongs to',
  audience: 'tokens that name this resource server as their audience',
  presented:
    'tokens of the tenant that name this resource server as their audience, while an agent presents them',
} as const satisfies Record<string, string>

export type Reach = keyof typeof REACHES

/** The thing that a call is about, and where the request names it: `/body/vat_jti`, or each of `/body/items/*\/vat_jti`. */
export interface Subject {
  readonly kind:
    | 'token'
    | 'record'
    | 'denial'
    | 'approval'
    | 'workflow'
    | 'agent'
    | 'human'
    | 'tenant'
    | 'key'
    | 'passkey'
    | 'verification'
    | 'vouch'
    | 'channel'
    | 'webhook'
  readonly at: string
  /** Other places that may name it. Text there that isn't a token ID is ignored. */
  readonly also?: readonly string[]
}

/** Which roles may call an operation, and how far each of them reaches. Roles that aren't named may not call it. */
export interface Access extends Readonly<Partial<Record<Role, Reach>>> {
  /** Callers need no credential. */
  readonly public?: true
  /** Absent if a call isn't about one thing. Lists show only what the caller may see. */
  readonly about?: Subject
  /** Reviewers of the tenant may make this call for others. */
  readonly reviewers?: true
  /** The tenant can require a fresh passkey by naming this group. */
  readonly step_up?: StepUp
}

/** States what a call is about, and where the request names it. */
export function about(
  kind: Subject['kind'],
  at: string,
  also: readonly string[] = [],
): { readonly about: Subject } {
  return { about: { kind, at, ...(also.length > 0 && { also }) } }
}

/** Rows that several operations share. */
export const STAFF = { operator: 'tenant', developer: 'tenant', auditor: 'tenant' } as const
export const ANY_ROLE = {
  operator: 'any',
  developer: 'any',
  human: 'any',
  agent: 'any',
  resource_server: 'any',
  auditor: 'any',
  safety: 'any',
} as const
export const READERS = { ...STAFF, human: 'own', agent: 'below', resource_server: 'audience' } as const
export const LISTERS = { ...STAFF, human: 'own' } as const
export const ACTORS = { agent: 'own', resource_server: 'presented' } as const
export const DECIDERS = { human: 'own', reviewers: true, safety: 'tenant', step_up: 'approve' } as const
export const REVOKERS = { operator: 'tenant', developer: 'tenant', human: 'own', agent: 'below' } as const
export const PUBLIC = { public: true } as const
