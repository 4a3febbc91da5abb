import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  described,
  Erased,
  Flag,
  GivenInstant,
  HumanRef,
  Instant,
  LogIndex,
  PageOf,
  PageQuery,
  Sha256Digest,
} from '../shapes.ts'
import { StoredSubject, TrustSubject, VouchContext, VouchId, VouchNote, VouchWeight } from './shapes.ts'

const Vouch = Closed(
  {
    vouch_id: VouchId,
    from: described(HumanRef, 'The person who vouches.'),
    to: described(StoredSubject, 'The person or the agent they vouch for.'),
    weight: VouchWeight,
    context: Type.Optional(VouchContext),
    note: Type.Optional(VouchNote),
    erased: Erased,
    standing: Flag('Whether the vouch counts now: it was neither ended nor has it expired.'),
    made_at: described(Instant, 'When the person vouched.'),
    expires_at: Type.Optional(described(Instant, 'When the vouch stops to count. Absent if it has no end.')),
    ended_at: Type.Optional(
      described(
        Instant,
        'When it was ended: withdrawn, replaced after it expired, or because the person at one end of it was erased.',
      ),
    ),
    log_index: LogIndex,
  },
  { title: 'Vouch', description: 'The word of a person for a person or an agent.' },
)

export const vouch = operation({
  method: 'POST',
  path: '/v1/vat/trust/vouches',
  tag: 'Trust',
  summary: 'Vouch for a person or an agent',
  description:
    'Only people can vouch, and only in their own name: in keyed mode with their own session. You cannot vouch for yourself or for agents that act or acted in your name (403 `cannot_vouch`), nor twice for the same subject and context (409 `vouch_exists`, with the first vouch).',
  body: Closed({
    from: Type.Optional(
      described(
        Sha256Digest,
        'The person who vouches, by `human_ref`. Required in open mode. In keyed mode it is the signed-in person, and if you send it, it must be one of their refs.',
      ),
    ),
    to: TrustSubject,
    weight: Type.Optional(
      described(VouchWeight, 'How much of their word the person gives, from 0.01 to 1. 1 by default.'),
    ),
    context: Type.Optional(
      described(VouchContext, 'What the vouch is about. Without a context it counts for every context.'),
    ),
    note: Type.Optional(VouchNote),
    expires_at: Type.Optional(
      described(GivenInstant, 'When the vouch stops to count. It must be in the future.'),
    ),
  }),
  response: Vouch,
  access: { human: 'tenant', step_up: 'vouch' },
  errors: ['cannot_vouch', 'vouch_exists', 'human_unknown', 'agent_unknown', 'not_yours'],
})

export const listVouches = operation({
  method: 'GET',
  path: '/v1/vat/trust/vouches',
  tag: 'Trust',
  summary: 'List vouches',
  description: 'Newest first. A person sees the vouches that they made, and with `to` those for themselves.',
  query: Closed({
    from: Type.Optional(described(Sha256Digest, 'Only vouches of this person.')),
    to: Type.Optional(described(TrustSubject, 'Only vouches for this person or agent.')),
    context: Type.Optional(described(VouchContext, 'Only vouches of exactly this context.')),
    standing: Type.Optional(Type.Literal('true', { description: 'Only vouches that count now.' })),
    ...PageQuery,
  }),
  response: PageOf(Vouch),
  access: { ...STAFF, human: 'own' },
  errors: [],
})

const VouchPath = Closed({ vouch_id: VouchId })

export const getVouch = operation({
  method: 'GET',
  path: '/v1/vat/trust/vouches/{vouch_id}',
  tag: 'Trust',
  summary: 'Get a vouch',
  params: VouchPath,
  response: Vouch,
  access: { ...about('vouch', '/params/vouch_id'), ...STAFF, human: 'own' },
  errors: ['vouch_unknown'],
})

export const updateVouch = operation({
  method: 'PATCH',
  path: '/v1/vat/trust/vouches/{vouch_id}',
  tag: 'Trust',
  summary: 'Change a vouch',
  description:
    'Changes the weight or the end of a vouch that counts. Fields that you leave out do not change. Only the person who vouches can do this. The old weight stays in the log.',
  params: VouchPath,
  body: Closed({
    weight: Type.Optional(VouchWeight),
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
        description: 'When the vouch stops to count. It must be in the future. Null removes the end.',
        examples: ['2027-01-31T12:00:00Z'],
      }),
    ),
  }),
  response: Vouch,
  access: { ...about('vouch', '/params/vouch_id'), human: 'own', step_up: 'vouch' },
  errors: ['vouch_unknown', 'vouch_ended', 'not_yours'],
})

export const withdrawVouch = operation({
  method: 'POST',
  path: '/v1/vat/trust/vouches/{vouch_id}/withdraw',
  tag: 'Trust',
  summary: 'Withdraw a vouch',
  description:
    'Ends a vouch immediately and permanently, and never asks for a passkey. The person who vouches can do this, and an operator. Withdrawing it again changes nothing. Ratings that the agent got while the vouch counted stay with the person.',
  params: VouchPath,
  response: Vouch,
  lane: 'stop',
  access: { ...about('vouch', '/params/vouch_id'), human: 'own', operator: 'tenant' },
  errors: ['vouch_unknown', 'not_yours'],
})
