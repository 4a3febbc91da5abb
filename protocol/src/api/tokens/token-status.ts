import { type Static, Type } from 'typebox'
import { ANY_ROLE, PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Closed, HumanRef, Instant, OneOf, Sha256Digest, StoredAgentId } from '../shapes.ts'

export const REVOCATIONS_TYP = 'revocations+jwt'
export const STATUS_LIST_TYP = 'statuslist+jwt'

/** What the two bits of a token in the status list say. */
export const STATUS = { valid: 0, invalid: 1, suspended: 2 } as const

/** One change of standing. It reaches a token with everything below it, or all that an agent or a person holds. */
export const RevocationEntry = Closed({
  log_index: Type.Integer(),
  at: Instant,
  kind: OneOf(['revoked', 'suspended', 'resumed']),
  token: Type.Optional(Sha256Digest),
  agent_id: Type.Optional(StoredAgentId),
  tenant_id: Type.Optional(
    Type.String({
      description:
        'The tenant of the agent, as the claim `svc_tenant` of its tokens names it; absent for `default`.',
    }),
  ),
  human_ref: Type.Optional(HumanRef),
  below: Type.Optional(
    Type.Integer({ description: 'Tokens whose own leaf stands below this place are revoked.' }),
  ),
})
export type RevocationEntry = Static<typeof RevocationEntry>

export const listRevocations = operation({
  method: 'GET',
  path: '/v1/vat/revocations',
  tag: 'Verification',
  summary: 'What was revoked since',
  description:
    'A signed delta for offline verifiers: a compact JWS of type `revocations+jwt` whose payload has `iss`, `iat`, `since`, `until`, `has_more` and `entries`. Ask again with `since` set to `until`. Tokens are named by the SHA-256 of their jti.',
  query: Closed({
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Place in the log to begin at; 0 when absent.',
      }),
    ),
  }),
  cache_control: 'no-store',
  response: Closed({ jwt: Type.String() }),
  access: ANY_ROLE,
  errors: [],
})

export const getStatusList = operation({
  method: 'GET',
  path: '/v1/vat/status-list',
  tag: 'Verification',
  summary: 'Token Status List',
  description:
    'For verifiers that know nothing of this service but the standard: two bits for each token, 1 when it is revoked, 2 when it is suspended, itself or by an ancestor. The claim `status.status_list.idx` is the place of a token. Places of expired tokens mean nothing.',
  cache_control: 'public, max-age=5',
  media_type: 'application/statuslist+jwt',
  response: Type.String({ description: 'A JWT of type `statuslist+jwt`.' }),
  access: PUBLIC,
  errors: [],
})
