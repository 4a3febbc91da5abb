import type { Static } from 'typebox'
import { ANY_ROLE, PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Closed, described, HumanRef, Instant, OneOf, Sha256Digest, StoredAgentId, Text } from '../shapes.ts'

export const REVOCATIONS_TYP = 'revocations+jwt'
export const STATUS_LIST_TYP = 'statuslist+jwt'

/** The two bits of a token in the status list. */
export const STATUS = { valid: 0, invalid: 1, suspended: 2 } as const

/** One change of status. It applies to a token and everything below it, or to every token of an agent, a person or a key. */
export const RevocationEntry = Closed({
  log_index: Type.Integer(),
  at: Instant,
  kind: OneOf(['revoked', 'suspended', 'resumed', 'withdrawn']),
  token: Type.Optional(Sha256Digest),
  agent_id: Type.Optional(StoredAgentId),
  tenant_id: Type.Optional(
    Text('Tenant of the agent, as the claim `svc_tenant` of its tokens names it. Absent for `default`.'),
  ),
  human_ref: Type.Optional(HumanRef),
  kid: Type.Optional(Text('The withdrawn signing key. Refuse every token that it signed.')),
  from: Type.Optional(described(Instant, 'When the key was stolen, as the operator says.')),
  below: Type.Optional(
    Type.Integer({ description: 'Tokens whose own leaf has a smaller index are revoked.' }),
  ),
})
export type RevocationEntry = Static<typeof RevocationEntry>

export const listRevocations = operation({
  method: 'GET',
  path: '/v1/vat/revocations',
  tag: 'Verification',
  summary: 'List revocations since an index',
  description:
    'A signed delta for offline verifiers: a compact JWS of type `revocations+jwt` whose payload has `iss`, `iat`, `since`, `until`, `has_more` and `entries`. Call again with `since` set to `until`. Tokens are identified by the SHA-256 digest of their jti. An entry of kind `withdrawn` names the `kid` of a stolen signing key. In keyed mode, entries name agents and people of the tenant of the caller only, and the payload names it as `tenant_id`: ask the status list about tokens of other tenants. Operators and auditors of `default` read the entries of all tenants, without `tenant_id`.',
  query: Closed({
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Log index to start at, at most the size of the log. 0 by default.',
      }),
    ),
  }),
  cache_control: 'no-store',
  response: Closed({ jwt: Text('The signed delta, as a compact JWS.') }),
  access: ANY_ROLE,
  errors: [],
})

export const getStatusList = operation({
  method: 'GET',
  path: '/v1/vat/status-list',
  tag: 'Verification',
  summary: 'Get the Token Status List',
  description:
    'The standard list for verifiers: two bits per token, 1 when it is revoked and 2 when it is suspended, by itself or through an ancestor. The claim `status.status_list.idx` is the index of a token. Entries of expired tokens have no meaning. The claim `withdrawn_keys` lists the `kid` of stolen signing keys: refuse every token that they signed.',
  cache_control: 'public, max-age=5',
  media_type: 'application/statuslist+jwt',
  response: Text('A JWT of type `statuslist+jwt`.'),
  access: PUBLIC,
  errors: [],
})
