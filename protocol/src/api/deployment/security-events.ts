import { about } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  Count,
  described,
  GivenInstant,
  HasMore,
  Instant,
  NextCursor,
  OneOf,
  PageQuery,
  Text,
} from '../shapes.ts'
import { TenantId } from './tenants-and-keys.ts'

/** Refusals that an operator wants to see, by error code. */
export const SECURITY_EVENT_KINDS = [
  'credential_invalid',
  'role_not_allowed',
  'not_yours',
  'step_up_required',
  'passkey_refused',
  'cross_site_request',
  'host_not_allowed',
  'rate_limited',
] as const
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number]

const SecurityEventKindWord = OneOf(SECURITY_EVENT_KINDS, {
  title: 'SecurityEventKind',
  description: 'The error code that the callers got.',
})

const SecurityEventRow = Closed(
  {
    kind: SecurityEventKindWord,
    reason: Type.Optional(
      Text('What was wrong with the credential, such as `proof_replayed`.', { examples: ['token_revoked'] }),
    ),
    caller: Text(
      'The credential that was used: `key:<key_id>`, `human:<human_ref>`, `agent:<jti digest>`, `public` for a caller without a valid one, or `others` when too many callers were refused in that hour to name them.',
    ),
    network: Type.Optional(
      Text(
        'Where callers without a valid credential came from: the first 24 bits of an IPv4 address, or 48 of IPv6.',
        {
          examples: ['203.0.113.0/24'],
        },
      ),
    ),
    operation: Text('The operation that was called first, or `page`.'),
    hour: described(Instant, 'The hour that is counted.'),
    count: Count('How often.'),
    first_at: described(Instant, 'When it happened first in that hour.'),
    last_at: described(Instant, 'When it happened last in that hour.'),
  },
  {
    title: 'SecurityEvent',
    description: 'Refusals of one kind that one caller got in one hour.',
  },
)

export const listSecurityEvents = operation({
  method: 'GET',
  path: '/v1/vat/security-events',
  tag: 'Access',
  summary: 'List refused calls',
  description:
    'Calls that were refused because of their credential, their permissions, their origin or their rate, in keyed mode. They are counted per kind, caller and hour and kept for 7 days; a crash may lose the last seconds. Nothing personal is stored. The tenant `default` also gets the calls without a valid credential.',
  query: Closed({
    tenant_id: Type.Optional(described(TenantId, 'Only this tenant. Your own by default.')),
    kind: Type.Optional(described(SecurityEventKindWord, 'Only this kind.')),
    from: Type.Optional(described(GivenInstant, 'Only hours that begin at or after this instant.')),
    ...PageQuery,
  }),
  response: Closed({
    data: Type.Array(SecurityEventRow, {
      description: 'Newest first, by when they happened first in their hour.',
    }),
    next_cursor: NextCursor,
    has_more: HasMore,
  }),
  access: { ...about('tenant', '/query/tenant_id'), operator: 'tenant', auditor: 'tenant' },
  errors: [],
})
