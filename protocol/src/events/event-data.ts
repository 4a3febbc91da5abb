/** The `data` of each kind of event. Never contains a secret or a text that a person wrote. */

import type { TProperties, TSchema } from 'typebox'
import { Type } from '../api/schema-type.ts'
import {
  AarId,
  Action,
  AnyObject,
  ApprovalId,
  AssuranceLevel,
  Closed,
  Count,
  DenialId,
  Depth,
  described,
  EvidenceWord,
  Flag,
  HumanRef,
  Instant,
  Jti,
  OneOf,
  RatingWord,
  Reasons,
  Resource,
  Result,
  ResultHash,
  Score,
  StoredAgentId,
  StoredScope,
  Text,
  TrustScore,
  Usd,
} from '../api/shapes.ts'
import { ALERT_CONDITIONS, ALERT_EFFECTS } from '../api/stats/alert-words.ts'
import { RANKS, SuspendCodeWord } from '../api/tokens/suspension.ts'
import { StoredSubject, VouchContext, VouchId } from '../api/trust/shapes.ts'

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** Members of every event about a token, or about what was done with one. */
const OF_TOKEN = {
  agent_id: described(StoredAgentId, 'The agent that holds the token.'),
  human_ref: described(HumanRef, 'The person that the agent acts for.'),
  vat_jti: optional(described(Jti, 'The token that it is about.')),
}

const REQUESTED = {
  action: described(Action, 'The action.'),
  resource: described(Resource, 'The resource.'),
}

const SPEND = { spend_usd: optional(described(Usd, 'The spend in US dollars. Absent if there is none.')) }

const CONTEXT_OF_ACTION = {
  trust_score: optional(described(TrustScore, 'Trust in the token.')),
  parent_aar_id: optional(described(AarId, 'The action that caused this one.')),
  trace_id: optional(Text('Trace ID (W3C Trace Context) of the request.')),
  approval_id: optional(described(ApprovalId, 'The approval that allowed it.')),
  vouch_score: optional(described(Score, 'The vouch score that the decision rests on.')),
}

const EVIDENCE_MEMBER = { evidence: EvidenceWord }

const NEW_TOKEN = {
  ...OF_TOKEN,
  assurance_level: AssuranceLevel,
  delegation_depth: Depth,
  scope: StoredScope,
  expires_at: described(Instant, 'When the token expires.'),
  constraints: optional(
    AnyObject({
      description: 'Constraints of the token, without limits on arguments and without your own x_ members.',
    }),
  ),
}

const Rank = (description: string) => OneOf(RANKS, { description })

const OF_APPROVAL = { approval_id: ApprovalId, ...OF_TOKEN, ...REQUESTED }

const DECIDER = {
  reviewer: optional(Flag('True if the person decided as a reviewer of the tenant.')),
  owner: optional(Flag('True if the person is the one that the agent acts for.')),
}

const VOUCH = {
  vouch_id: VouchId,
  from: described(HumanRef, 'The person who vouches.'),
  to: described(StoredSubject, 'Whom they vouch for.'),
}

const VOUCHED = {
  ...VOUCH,
  weight: Type.Number({ description: 'How much of their word the person gives, from 0.01 to 1.' }),
  expires_at: optional(described(Instant, 'When the vouch ends.')),
}

const PERSON = { human_ref: described(HumanRef, 'The person.') }

const AGENT = { agent_id: described(StoredAgentId, 'The agent.') }

const Kid = (description: string) => Text(description)

/** One schema for each type of event. */
export const EVENT_DATA = {
  'token.issued': NEW_TOKEN,
  'token.delegated': {
    ...NEW_TOKEN,
    parent_jti: optional(described(Jti, 'The token that it was delegated from.')),
  },
  'token.renewed': { ...NEW_TOKEN, renews_jti: optional(described(Jti, 'The token that it continues.')) },
  'token.revoked': OF_TOKEN,
  'token.suspended': {
    ...OF_TOKEN,
    suspended_by: Rank('Rank of the caller who suspended it.'),
    suspend_code: SuspendCodeWord,
  },
  'token.resumed': { ...OF_TOKEN, resumed_by: Rank('Rank of the caller who resumed it.') },
  'action.authorized': {
    aar_id: AarId,
    ...OF_TOKEN,
    ...REQUESTED,
    ...SPEND,
    ...CONTEXT_OF_ACTION,
    ...EVIDENCE_MEMBER,
    expires_at: described(Instant, 'When the pending record expires unless it is completed.'),
  },
  'action.denied': {
    denial_id: DenialId,
    ...OF_TOKEN,
    ...REQUESTED,
    ...SPEND,
    ...CONTEXT_OF_ACTION,
    reasons: Reasons,
  },
  'action.completed': {
    aar_id: AarId,
    ...OF_TOKEN,
    ...REQUESTED,
    ...SPEND,
    ...CONTEXT_OF_ACTION,
    ...EVIDENCE_MEMBER,
    result: described(Result, 'The outcome.'),
    result_hash: optional(ResultHash),
    completed_after_revocation: optional(Flag('True if the token was revoked before.')),
    over_budget: optional(Flag('True if more was spent than the budget held.')),
    exceeded: optional(Flag('True if more was spent than authorized. The token is suspended then.')),
  },
  'action.cancelled': { aar_id: AarId, ...OF_TOKEN, ...REQUESTED, ...EVIDENCE_MEMBER },
  'action.expired': { aar_id: AarId, ...OF_TOKEN, ...REQUESTED },
  'action.rated': {
    aar_id: AarId,
    ...OF_TOKEN,
    ...REQUESTED,
    rating: RatingWord,
    rater_assurance: Text('Assurance level of the person who rated; self_reported in open mode.'),
  },
  'approval.requested': {
    ...OF_APPROVAL,
    ...SPEND,
    expires_at: described(Instant, 'Until when it can be decided.'),
  },
  'approval.endorsed': {
    ...OF_APPROVAL,
    by: Text('The `human_ref` of a person who approved. Others must approve too.'),
    ...DECIDER,
  },
  'approval.escalated': {
    ...OF_APPROVAL,
    to: Type.Array(HumanRef, { description: 'The people who are asked too, by `human_ref`.' }),
  },
  'approval.decided': {
    ...OF_APPROVAL,
    decision: OneOf(['approved', 'denied'], { description: 'The decision.' }),
    decided_by: Text(
      'The `human_ref` of the person; `human` in open mode; `review_desk`; `habit` or `grant` if it was approved automatically.',
    ),
    ...DECIDER,
    grant: optional(
      Closed(
        {
          expires_at: described(Instant, 'When the grant ends.'),
          max_spend_usd: described(Usd, 'How much may be spent with it.'),
        },
        { description: 'What the person allowed in advance with this decision.' },
      ),
    ),
    grant_id: optional(described(ApprovalId, 'The approval whose grant allowed it.')),
  },
  'approval.grant_ended': OF_APPROVAL,
  'approval.habit_ended': { ...AGENT, ...PERSON, ...REQUESTED },
  'budget.threshold': {
    ...OF_TOKEN,
    percent: Type.Integer({ description: 'Share of the budget that is spent or reserved: 50 or 80.' }),
  },
  'budget.exhausted': {
    ...OF_TOKEN,
    percent: Type.Integer({ description: 'Always 100: all of the budget is spent or reserved.' }),
  },
  'agent.registered': {
    ...AGENT,
    keys_added: optional(Type.Array(Type.String(), { description: 'Thumbprints (RFC 7638) of new keys.' })),
    keys_removed: optional(
      Type.Array(Type.String(), { description: 'Thumbprints (RFC 7638) of removed keys.' }),
    ),
  },
  'agent.suspended': {
    ...AGENT,
    suspended_by: Rank('Rank of the caller who suspended it.'),
    key_of: optional(described(StoredAgentId, 'Suspended with this agent, because both use the same key.')),
  },
  'agent.resumed': { ...AGENT, resumed_by: Rank('Rank of the caller who resumed it.') },
  'agent.revoked': AGENT,
  'human.revoked': PERSON,
  'human.refused': PERSON,
  'human.accepted': PERSON,
  'human.erased': PERSON,
  'vouch.created': { ...VOUCHED, context: optional(VouchContext) },
  'vouch.changed': VOUCHED,
  'vouch.withdrawn': {
    ...VOUCH,
    by: Text(
      'Who ended it: `person`, `operator`, `own_agent` if the agent now acts for the person, or `same_person` if both ends turned out to be the same person.',
    ),
  },
  'anchor.named': {
    ...PERSON,
    base: Type.Number({ description: 'The word of this anchor, from 0 to 1.' }),
  },
  'anchor.removed': PERSON,
  'alert.fired': {
    ...AGENT,
    alert_id: Text('Alert ID. Starts with alt_.', {
      examples: ['alt_5f2c9d1e7b3a4c6d8e0f1a2b3c4d5e6f70819203'],
    }),
    rule_id: Text('The rule that fired. Starts with alr_.', {
      examples: ['alr_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
    }),
    condition: OneOf(ALERT_CONDITIONS, { description: 'What the rule watches.' }),
    effect: OneOf(ALERT_EFFECTS, { description: 'What the alert does.' }),
    window: described(Instant, 'Start of the time in which the rule fires once for this agent.'),
    explanation: Text('Why it fired, in words.', { examples: ['17 denials in 5 minutes; usual is 0 to 2'] }),
    asks_until: optional(described(Instant, 'Until when every action of the agent needs an approval.')),
  },
  'verification.completed': PERSON,
  'session.begun': { ...PERSON, assurance_level: AssuranceLevel },
  'session.ended': PERSON,
  'key.rotated': {
    kid: Kid('The key that signs tokens from now on.'),
    status_lists_kid: optional(Kid('The key that signs status lists from now on.')),
    statements_kid: optional(Kid('The key that signs statements from now on.')),
  },
  'key.withdrawn': {
    kid: Kid('The key that was withdrawn.'),
    from: described(Instant, 'Everything that the key signed from then on is void.'),
  },
  'access.changed': { mode: OneOf(['open', 'keyed'], { description: 'The access mode from now on.' }) },
  'deployment.restored': {
    backed_up_at: described(Instant, 'When the backup was taken. Later changes are lost.'),
    origin: Text('The log that the backup was taken of.', { examples: ['deputy.example.com/log'] }),
    continues: Flag('Whether that log continues. If not, a new log begins with the same entries.'),
    newest_size: optional(
      Count(
        'The size of the newest known checkpoint of that log. Entries from this one up to that size are lost.',
      ),
    ),
  },
  'webhook.disabled': {
    webhook_id: Text('The webhook, or another endpoint that events are sent to.'),
    kind: Text('What it is: webhook and others.'),
    reason: OneOf(['failing', 'gone', 'key_deleted'], {
      description:
        'failing: no attempt succeeded for three days. gone: the receiver answered 410. key_deleted: the key that created the webhook, or set its address last, was deleted.',
    }),
  },
  'registry.changed': {
    kind: Text('What changed: tenant, api_key, passkey, identity, biometric and others.'),
    entry_ref: Text('The entry: SHA-256 of its ID, such as the ID of an API key, after sha256:.'),
    human_ref: optional(described(HumanRef, 'The person that it belongs to.')),
    removed: Flag('Whether it was removed.'),
    by: optional(
      Text(
        'Whose call changed it: key: with the SHA-256 of the ID of an API key, or human: with the human_ref of a person. Absent in open mode, and for changes that follow from something else, such as a verification or the end of a retention period.',
      ),
    ),
  },
} as const satisfies Record<string, TProperties>

export type EventType = keyof typeof EVENT_DATA
