/** What a tenant can require a fresh passkey for. */
export const STEP_UPS = ['rate', 'approve', 'issue_l2', 'revoke_many', 'erase', 'passkeys'] as const
export type StepUp = (typeof STEP_UPS)[number]

/** Who calls in keyed mode. A credential has exactly one role, in exactly one tenant. */
export const ROLES = {
  operator:
    'Looks after a tenant: its keys, its settings, its people. Can silence agents, but never acts, rates or approves.',
  developer: 'Builds agents: asks for authority at L1, registers agents, watches and silences them.',
  human: 'A person who has signed in. Rates, approves, revokes and erases what is theirs.',
  agent: 'An agent with its own token. Acts, and passes on what it holds.',
  resource_server:
    'A service that agents call. Authorizes and records what is done with tokens that are shown to it.',
  auditor: 'Reads everything of a tenant and changes nothing.',
} as const satisfies Record<string, string>

export type Role = keyof typeof ROLES

/** How far a role reaches. Whatever lies outside is answered as if it did not exist. */
export const REACHES = {
  any: 'nothing in particular is asked for',
  deployment: 'only with a credential of the tenant `default`, which looks after the whole deployment',
  tenant: 'everything of the tenant',
  own: 'people: what is done in their name; agents: their own token',
  opened:
    'agents: what they began with their own token. What a resource server began only that one ends, or an agent would give back what it spends there',
  below: 'the own token, and everything that was delegated from it',
  workflow: 'the workflow that the own token belongs to',
  audience: 'tokens that name this service as their audience',
  presented: 'tokens of the tenant that name this service as their audience, while they are shown to it',
} as const satisfies Record<string, string>

export type Reach = keyof typeof REACHES

/** What a call is about, and where in the request it is named: `/body/vat_jti`, or each of `/body/items/*\/vat_jti`. */
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
  readonly at: string
}

/** Which roles may call an operation, and how far each of them reaches. A role that is not named may not call. */
export interface Access extends Readonly<Partial<Record<Role, Reach>>> {
  /** Nobody has to say who they are. */
  readonly public?: true
  /** Without it a call is about no one thing: lists show only what the caller may see. */
  readonly about?: Subject
  /** People of the tenant who are named as reviewers may do this for others. */
  readonly reviewers?: true
  /** The tenant may ask people for a fresh passkey, by naming this group. */
  readonly step_up?: StepUp
}

/** Says which thing a call is about, and where the request names it. */
export function about(kind: Subject['kind'], at: string): { readonly about: Subject } {
  return { about: { kind, at } }
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
} as const
export const READERS = { ...STAFF, human: 'own', agent: 'below', resource_server: 'audience' } as const
export const LISTERS = { ...STAFF, human: 'own' } as const
export const ACTORS = { agent: 'own', resource_server: 'presented' } as const
export const DECIDERS = { human: 'own', reviewers: true, step_up: 'approve' } as const
export const REVOKERS = { operator: 'tenant', developer: 'tenant', human: 'own', agent: 'below' } as const
export const PUBLIC = { public: true } as const
