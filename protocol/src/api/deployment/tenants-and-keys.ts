import { type Static, Type } from 'typebox'
import { TENANT_ID } from '../../token/agent-name.ts'
import { about, PUBLIC, STEP_UPS } from '../access.ts'
import { operation } from '../operation.ts'
import { Closed, Instant, OneOf, PageOf, PageQuery, Sha256Digest } from '../shapes.ts'

const TenantId = Type.String({
  pattern: TENANT_ID,
  description: 'Lower-case letters, digits and hyphens. Never changes.',
  examples: ['acme'],
})

export const TenantSettings = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  allow_bearer: Type.Optional(
    Type.Boolean({
      description:
        'Whether agents may show tokens that are bound to no key. Whoever steals such a token can use it. False at first.',
    }),
  ),
  step_up: Type.Optional(
    Type.Array(OneOf(STEP_UPS), {
      uniqueItems: true,
      maxItems: STEP_UPS.length,
      description: 'What people confirm with a fresh passkey.',
    }),
  ),
  reviewers: Type.Optional(
    Type.Array(Sha256Digest, {
      uniqueItems: true,
      maxItems: 100,
      description: 'People (human_ref) who may rate and approve for everybody of the tenant.',
    }),
  ),
  rate_limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Requests a minute for the whole tenant.',
    }),
  ),
}

export const Tenant = Closed({
  tenant_id: TenantId,
  name: Type.String(),
  allow_bearer: Type.Boolean(),
  step_up: Type.Array(OneOf(STEP_UPS)),
  reviewers: Type.Array(Type.String()),
  rate_limit: Type.Optional(Type.Integer()),
  created_at: Instant,
  log_index: Type.Optional(
    Type.Integer({
      description: 'Position of the leaf that tells of the last change; absent before the first.',
    }),
  ),
})
export type Tenant = Static<typeof Tenant>

const OneTenant = Closed({ tenant_id: TenantId })

export const createTenant = operation({
  method: 'POST',
  path: '/v1/vat/tenants',
  tag: 'Access',
  summary: 'Create a tenant',
  description:
    'Agents, people, workflows and keys of a tenant are its own: equal names in two tenants have nothing to do with each other.',
  body: Closed({ tenant_id: TenantId, ...TenantSettings }),
  example: { tenant_id: 'acme', name: 'Acme Ltd' },
  status: 201,
  response: Tenant,
  access: { operator: 'deployment' },
  errors: ['tenant_exists'],
})

export const listTenants = operation({
  method: 'GET',
  path: '/v1/vat/tenants',
  tag: 'Access',
  summary: 'List tenants',
  description: 'All of them for operators of the deployment, the own one for others.',
  query: Closed({ ...PageQuery }),
  response: PageOf(Tenant),
  access: { operator: 'tenant', developer: 'tenant', auditor: 'tenant' },
  errors: [],
})

export const getTenant = operation({
  method: 'GET',
  path: '/v1/vat/tenants/{tenant_id}',
  tag: 'Access',
  summary: 'Read a tenant',
  params: OneTenant,
  response: Tenant,
  access: {
    ...about('tenant', '/params/tenant_id'),
    operator: 'tenant',
    developer: 'tenant',
    auditor: 'tenant',
    human: 'tenant',
  },
  errors: ['tenant_unknown'],
})

export const updateTenant = operation({
  method: 'PATCH',
  path: '/v1/vat/tenants/{tenant_id}',
  tag: 'Access',
  summary: 'Change the settings of a tenant',
  description: 'Members that are not named stay as they are.',
  params: OneTenant,
  body: Closed(TenantSettings),
  example: { allow_bearer: true },
  response: Tenant,
  access: { ...about('tenant', '/params/tenant_id'), operator: 'tenant' },
  errors: ['tenant_unknown', 'registry_conflict'],
})

/** The roles that a key can have; people sign in, and agents have their tokens. */
export const KEY_ROLES = ['operator', 'developer', 'resource_server', 'auditor'] as const

const KeyId = Type.String({
  pattern: '^[0-9A-Za-z]{8}$',
  description: 'The part of the key after dk_. It is no secret.',
  examples: ['7Kx2mPq9'],
})

export const ApiKey = Closed({
  key_id: KeyId,
  tenant_id: TenantId,
  name: Type.String(),
  role: OneOf(KEY_ROLES),
  audience: Type.Optional(Type.String()),
  created_at: Instant,
  expires_at: Instant,
  created_by: Type.String({ description: 'The credential that made it.' }),
  log_index: Type.Integer({ description: 'Position of the leaf that tells of it.' }),
})
export type ApiKey = Static<typeof ApiKey>

/** Shown once, when it is made. */
const NewApiKey = Closed({
  ...ApiKey.properties,
  key: Type.String({ description: 'The whole key. It is shown only here and kept only as a keyed hash.' }),
})

const Lifetime = Type.Optional(
  Type.Integer({
    minimum: 60,
    maximum: 31_536_000,
    description: 'Lifetime in seconds; ninety days when absent, a year at most.',
  }),
)

export const createKey = operation({
  method: 'POST',
  path: '/v1/vat/keys',
  tag: 'Access',
  summary: 'Create an API key',
  body: Closed({
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What it is for.' }),
    role: OneOf(KEY_ROLES),
    tenant_id: Type.Optional(TenantId),
    audience: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'For resource servers: the aud that tokens must name to be shown to this service.',
      }),
    ),
    expires_in: Lifetime,
  }),
  example: { name: 'calendar backend', role: 'developer' },
  status: 201,
  response: NewApiKey,
  access: { ...about('tenant', '/body/tenant_id'), operator: 'tenant' },
  errors: ['tenant_unknown'],
})

export const listKeys = operation({
  method: 'GET',
  path: '/v1/vat/keys',
  tag: 'Access',
  summary: 'List API keys',
  description: 'Those of the own tenant, newest first, without their secrets.',
  query: Closed({ tenant_id: Type.Optional(TenantId), ...PageQuery }),
  response: PageOf(ApiKey),
  access: { ...about('tenant', '/query/tenant_id'), operator: 'tenant', auditor: 'tenant' },
  errors: [],
})

export const deleteKey = operation({
  method: 'DELETE',
  path: '/v1/vat/keys/{key_id}',
  tag: 'Access',
  summary: 'Delete an API key',
  description: 'It is refused from then on: at once on this node, within two seconds on others.',
  params: Closed({ key_id: KeyId }),
  response: Closed({ deleted: Type.Boolean(), key_id: KeyId }),
  access: { ...about('key', '/params/key_id'), operator: 'tenant' },
  errors: ['key_unknown', 'registry_conflict'],
})

export const rotateKey = operation({
  method: 'POST',
  path: '/v1/vat/keys/{key_id}/rotate',
  tag: 'Access',
  summary: 'Replace an API key',
  description:
    'Makes a key with the same name, role and tenant. The old one goes on for `overlap_s` seconds.',
  params: Closed({ key_id: KeyId }),
  body: Closed({
    overlap_s: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_592_000, description: 'A day when absent.' }),
    ),
    expires_in: Lifetime,
  }),
  example: { overlap_s: 3600 },
  status: 201,
  response: NewApiKey,
  access: { ...about('key', '/params/key_id'), operator: 'tenant' },
  errors: ['key_unknown', 'registry_conflict'],
})

export const setUp = operation({
  method: 'POST',
  path: '/v1/vat/setup',
  tag: 'Access',
  summary: 'Make the first operator key',
  description:
    'In keyed mode a new deployment prints a set-up secret when it starts. It is good for this one call, and then never again.',
  body: Closed({
    setup_secret: Type.String({ minLength: 1, maxLength: 100 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  }),
  example: { setup_secret: 'dsu_...', name: 'first operator' },
  status: 201,
  response: NewApiKey,
  access: PUBLIC,
  errors: ['already_set_up', 'credential_invalid'],
})
