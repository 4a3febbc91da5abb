/** How things ended, in words, shapes and colours: one table for all screens. */
export type Tone = 'done' | 'wait' | 'no' | 'ask' | 'dim'

export interface OutcomeWords {
  readonly word: string
  /** Colour is never the only sign. */
  readonly shape: string
  readonly tone: Tone
}

export const OUTCOMES = {
  done: { word: 'done', shape: '●', tone: 'done' },
  partial: { word: 'partial', shape: '◐', tone: 'wait' },
  failed: { word: 'failed', shape: '✕', tone: 'no' },
  pending: { word: 'pending', shape: '◐', tone: 'wait' },
  cancelled: { word: 'cancelled', shape: '○', tone: 'dim' },
  expired: { word: 'expired', shape: '○', tone: 'dim' },
  denied: { word: 'denied', shape: '✕', tone: 'no' },
  asks: { word: 'asks', shape: '◇', tone: 'ask' },
  approved: { word: 'approved', shape: '●', tone: 'done' },
  revoked: { word: 'revoked', shape: '⊘', tone: 'no' },
  suspended: { word: 'suspended', shape: '⊘', tone: 'wait' },
  resumed: { word: 'resumed', shape: '●', tone: 'done' },
  issued: { word: 'issued', shape: '○', tone: 'dim' },
  good: { word: 'good', shape: '●', tone: 'done' },
  problem: { word: 'problem', shape: '◐', tone: 'wait' },
  bad: { word: 'bad', shape: '✕', tone: 'no' },
  budget: { word: 'budget', shape: '◐', tone: 'wait' },
  alert: { word: 'alert', shape: '▲', tone: 'no' },
  live: { word: 'live', shape: '●', tone: 'done' },
  active: { word: 'active', shape: '●', tone: 'done' },
  open: { word: 'open', shape: '●', tone: 'done' },
  closed: { word: 'closed', shape: '○', tone: 'dim' },
  not_yet: { word: 'not yet valid', shape: '○', tone: 'dim' },
  trust: { word: 'trust', shape: '○', tone: 'dim' },
  identity: { word: 'identity', shape: '○', tone: 'dim' },
  session: { word: 'session', shape: '○', tone: 'dim' },
  changed: { word: 'changed', shape: '○', tone: 'dim' },
} as const satisfies Record<string, OutcomeWords>

export type OutcomeName = keyof typeof OUTCOMES

/** The results that count in the reputation. */
const RESULTS: ReadonlyMap<string, OutcomeName> = new Map([
  ['success', 'done'],
  ['partial', 'partial'],
  ['cancelled', 'cancelled'],
])

/** The outcome of an action record. Results are free text. An unknown result counts as failed, as in the reputation. */
export function recordOutcome(record: {
  readonly state: string
  readonly result?: string | undefined
}): OutcomeName {
  if (record.state === 'pending') return 'pending'
  if (record.state === 'cancelled') return 'cancelled'
  if (record.state === 'expired') return 'expired'
  return RESULTS.get(record.result ?? '') ?? 'failed'
}

const TOKEN_STATES: Readonly<Record<string, OutcomeName>> = {
  live: 'live',
  not_yet_valid: 'not_yet',
  expired: 'expired',
  suspended: 'suspended',
  revoked: 'revoked',
}

export function tokenOutcome(status: string): OutcomeName {
  return TOKEN_STATES[status] ?? 'changed'
}

export const RATING_OUTCOMES = {
  approved: 'good',
  flagged: 'problem',
  rejected: 'bad',
} as const satisfies Record<string, OutcomeName>

const REASONS: Readonly<Record<string, string>> = {
  token_revoked: 'token revoked',
  token_suspended: 'token suspended',
  agent_suspended: 'agent suspended',
  token_expired: 'token expired',
  token_not_yet_valid: 'token not valid yet',
  record_closed: 'action record closed',
  action_not_in_scope: 'action not in scope',
  resource_not_in_scope: 'resource not in scope',
  argument_not_allowed: 'argument not allowed',
  outside_hours: 'outside active hours',
  budget_exceeded: 'budget exceeded',
  period_budget_exceeded: 'budget of the period exceeded',
  action_limit: 'limit of actions reached',
  rate_limit: 'too many actions per minute',
  reputation_too_low: 'reputation too low',
  vouch_score_too_low: 'vouch score too low',
  approval_denied: 'denied by a person',
  approval_limit_root: 'too many open requests below the root token',
  approval_limit_person: 'too many open requests for the person',
  approval_required: 'needs an approval',
}

/** A reason of a denial, in words. */
export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll('_', ' ')
}

const ASKED_BECAUSE: Readonly<Record<string, string>> = {
  always: 'every action needs an approval',
  action: 'this action needs an approval',
  resource: 'this resource needs an approval',
  amount: 'the amount is above the limit',
  review: 'its operator reviews this agent',
}

export function askedWords(causes: readonly string[]): string {
  return causes.map((cause) => ASKED_BECAUSE[cause] ?? cause).join(', ')
}

/** Several actions together are shown with the worst of their outcomes. */
export const WORST_FIRST: readonly OutcomeName[] = [
  'denied',
  'failed',
  'asks',
  'pending',
  'partial',
  'expired',
  'cancelled',
  'approved',
  'done',
]
