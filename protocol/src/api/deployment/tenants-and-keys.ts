import type { Static } from 'typebox'
import { MAX_USD } from '../../encoding/money.ts'
import { TENANT_ID } from '../../token/agent-name.ts'
import { about, PUBLIC, STEP_UPS } from '../access.ts'
import { CHANNEL_KINDS } from '../notifications/notifications.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Action,
  Audience,
  Closed,
  described,
  Flag,
  HumanRef,
  Instant,
  LogIndex,
  OneOf,
  PageOf,
  PageQuery,
  Sha256Digest,
  Text,
  Usd,
} from '../shapes.ts'
import { ProviderText } from '../tokens/constraints.ts'

export const TenantId = Type.String({
  pattern: TENANT_ID,
  title: 'TenantId',
  description: 'Tenant ID: lower-case letters, digits and hyphens. It never changes.',
  examples: ['acme'],
})

const Aaguid = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  title: 'Aaguid',
  description: 'The kind of an authenticator (AAGUID), in lower case.',
  examples: ['ee882879-721c-4913-9775-3dfcce97072a'],
})

const Review = Closed(
  {
    sample_pct: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'Percentage of new L3 tokens, picked at random, whose actions are held for review if they spend or are more than a plain read. Which tokens are picked is not shown.',
      }),
    ),
    above_usd: Type.Optional(
      described(
        Usd,
        'Actions of new L3 tokens that spend more than this, in US dollars, are held for review.',
      ),
    ),
  },
  {
    title: 'Review',
    description:
      'What the organization reviews before it happens. The safety desk decides: a credential with the role safety.',
  },
)

export const FaceApprovals = Closed(
  {
    above_usd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_USD,
        description: 'Actions that spend more than this, in US dollars.',
      }),
    ),
    actions: Type.Optional(
      Type.Array(Action, { minItems: 1, maxItems: 100, description: 'Actions with one of these verbs.' }),
    ),
    max_age_s: Type.Integer({
      minimum: 30,
      maximum: 3600,
      description: 'How old the verification may be when the approval is given, in seconds.',
    }),
  },
  {
    title: 'FaceApprovals',
    description:
      'Approvals that people confirm with a biometric verification of their own: those that match one of the filters, or all without a filter.',
  },
)

const VerificationProviders = Closed(
  {
    providers: Type.Array(ProviderText, {
      minItems: 1,
      maxItems: 16,
      foldsRepeats: true,
      description:
        'Providers that may verify people of the tenant: `builtin`, and those that the operator configured for it.',
    }),
    default: Type.Optional(
      described(ProviderText, 'The provider of a session that names none. The first one by default.'),
    ),
  },
  {
    title: 'VerificationProviders',
    description: 'Who verifies people of the tenant.',
  },
)

const MessageSettings = Closed(
  {
    channels: Type.Optional(
      Type.Array(OneOf(CHANNEL_KINDS), {
        foldsRepeats: true,
        maxItems: CHANNEL_KINDS.length,
        description: 'Kinds of channels that people and operators of the tenant may use. Absent: any.',
      }),
    ),
    escalate_after_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        description: 'Minutes after which an unanswered approval request also goes to others. Absent: never.',
      }),
    ),
    escalate_to: Type.Optional(
      Type.Array(Sha256Digest, {
        foldsRepeats: true,
        minItems: 1,
        maxItems: 20,
        description:
          'Who it goes to, by `human_ref`: reviewers of the tenant, because only they may decide for others. Absent: all reviewers.',
      }),
    ),
    slack_signing_secret: Type.Optional(
      Text(
        'The signing secret of your Slack app, if it has interactivity on. Stored encrypted and never shown. The request URL of the app is /v1/vat/notifications/slack/{tenant_id}/interactions.',
        { minLength: 16, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' },
      ),
    ),
  },
  { title: 'MessageSettings', description: 'How messages reach the people of the tenant.' },
)

const TenantSettings = {
  name: Type.Optional(Text('Name to show to people.', { minLength: 1, maxLength: 200 })),
  allow_bearer: Type.Optional(
    Type.Boolean({
      description:
        'Whether agents may use tokens that are not bound to a key. A thief can use a stolen token of this kind. False by default.',
    }),
  ),
  step_up: Type.Optional(
    Type.Array(OneOf(STEP_UPS), {
      foldsRepeats: true,
      maxItems: STEP_UPS.length,
      description: 'Groups of calls that people must confirm with a fresh passkey.',
    }),
  ),
  reviewers: Type.Optional(
    Type.Array(Sha256Digest, {
      foldsRepeats: true,
      maxItems: 100,
      description: 'People, by `human_ref`, who may rate and approve for everyone in the tenant.',
    }),
  ),
  rate_limit: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), Type.Null()], {
      description:
        'Requests per minute for the whole tenant. Each node counts the calls that it receives. null removes the setting.',
    }),
  ),
  verification: Type.Optional(
    Type.Union([VerificationProviders, Type.Null()], {
      description:
        'Who verifies people of the tenant. Without it: `builtin`, and every provider that is configured for the tenant. null removes the setting.',
    }),
  ),
  review: Type.Optional(Review),
  face_approvals: Type.Optional(
    Type.Union([FaceApprovals, Type.Null()], {
      description: 'Approvals that people confirm with a face. null removes the setting.',
    }),
  ),
  messages: Type.Optional(
    Type.Union([MessageSettings, Type.Null()], {
      description: 'How messages reach the people of the tenant. null removes the setting.',
    }),
  ),
  passkey_aaguids: Type.Optional(
    Type.Array(Aaguid, {
      foldsRepeats: true,
      maxItems: 100,
      description:
        'Models of authenticators, by AAGUID, that people may register passkeys with. Empty or absent: any. A device states its model itself, without proof.',
    }),
  ),
}

const FaceApprovalSettings = Closed(
  {
    above_usd: Type.Optional(
      Type.Number({ description: 'Actions that spend more than this, in US dollars.' }),
    ),
    actions: Type.Optional(Type.Array(Type.String(), { description: 'Actions with one of these verbs.' })),
    max_age_s: Type.Integer({ description: 'How old the verification may be, in seconds.' }),
  },
  { title: 'FaceApprovalSettings', description: 'Approvals that people confirm with a face.' },
)

const ReviewSettings = Closed(
  {
    sample_pct: Type.Optional(
      Type.Number({ description: 'Share of new L3 tokens that are picked, in percent.' }),
    ),
    above_usd: Type.Optional(
      Type.Number({
        description: 'Actions of new L3 tokens that spend more than this are held, in US dollars.',
      }),
    ),
  },
  {
    title: 'ReviewSettings',
    description: 'What is held for review. Shown to operators and auditors only.',
  },
)

export const Tenant = Closed(
  {
    tenant_id: TenantId,
    name: Text('Name to show to people.'),
    allow_bearer: Flag('Whether agents may use tokens that are not bound to a key.'),
    step_up: Type.Array(OneOf(STEP_UPS), {
      description: 'Groups of calls that people must confirm with a fresh passkey.',
    }),
    reviewers: Type.Array(Type.String(), {
      description: 'People, by `human_ref`, who may rate and approve for everyone in the tenant.',
    }),
    rate_limit: Type.Optional(
      Type.Integer({ description: 'Requests per minute for the whole tenant, on each node.' }),
    ),
    verification: Type.Optional(
      Closed(
        {
          providers: Type.Array(Type.String(), { description: 'Providers that may verify people.' }),
          default: Type.Optional(Text('The provider of a session that names none.')),
        },
        { title: 'VerificationSettings', description: 'Who verifies people of the tenant.' },
      ),
    ),
    review: Type.Optional(ReviewSettings),
    face_approvals: Type.Optional(FaceApprovalSettings),
    messages: Type.Optional(
      Closed(
        {
          channels: Type.Optional(
            Type.Array(OneOf(CHANNEL_KINDS), {
              description: 'Kinds of channels that may be used. Absent: any.',
            }),
          ),
          escalate_after_minutes: Type.Optional(
            Type.Integer({
              description: 'Minutes after which an unanswered approval request also goes to others.',
            }),
          ),
          escalate_to: Type.Optional(
            Type.Array(Type.String(), {
              description: 'Who it goes to, by `human_ref`. Absent: all reviewers.',
            }),
          ),
          slack_interactions: Flag('Whether the signing secret of a Slack app is stored.'),
        },
        { title: 'TenantMessages', description: 'How messages reach the people of the tenant.' },
      ),
    ),
    passkey_aaguids: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Models of authenticators, by AAGUID, that people may register passkeys with. Absent: any.',
      }),
    ),
    created_at: described(Instant, 'When the tenant was created.'),
    log_index: Type.Optional(
      described(LogIndex, 'Index of the log entry of the last change. Absent before the first.'),
    ),
  },
  { title: 'Tenant', description: 'A tenant and its settings.' },
)
export type Tenant = Static<typeof Tenant>

const OneTenant = Closed({ tenant_id: TenantId })

export const createTenant = operation({
  method: 'POST',
  path: '/v1/vat/tenants',
  tag: 'Access',
  summary: 'Create a tenant',
  description:
    'Each tenant has its own agents, people, workflows and keys. The same name in two tenants refers to two different things.',
  body: Closed({ tenant_id: TenantId, ...TenantSettings }),
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
  description: 'Operators of the deployment see every tenant, other callers their own.',
  query: Closed({ ...PageQuery }),
  response: PageOf(Tenant),
  access: { operator: 'tenant', developer: 'tenant', auditor: 'tenant' },
  errors: [],
})

export const getTenant = operation({
  method: 'GET',
  path: '/v1/vat/tenants/{tenant_id}',
  tag: 'Access',
  summary: 'Get a tenant',
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
  summary: 'Update the settings of a tenant',
  description: 'Sets the fields that you send. Fields that you leave out do not change.',
  params: OneTenant,
  body: Closed(TenantSettings),
  response: Tenant,
  lane: 'stop',
  access: { ...about('tenant', '/params/tenant_id'), operator: 'tenant' },
  errors: ['tenant_unknown', 'registry_conflict'],
})

/** The roles of API keys. People sign in, and agents use their tokens. */
export const KEY_ROLES = ['operator', 'developer', 'resource_server', 'auditor', 'safety'] as const

const KeyRole = OneOf(KEY_ROLES, { title: 'KeyRole', description: 'Role of the key.' })

const KeyId = Type.String({
  pattern: '^[0-9A-Za-z]{8}$',
  title: 'KeyId',
  description: 'ID of the API key: the 8 characters after dk_. It is not secret.',
  examples: ['7Kx2mPq9'],
})

export const ApiKey = Closed(
  {
    key_id: KeyId,
    tenant_id: TenantId,
    name: Text('Name of the key.'),
    role: KeyRole,
    audience: Type.Optional(Text('For resource servers: the `aud` that tokens must name.')),
    created_at: described(Instant, 'When the key was created.'),
    expires_at: described(Instant, 'When the key expires.'),
    created_by: Text('The credential that created the key.'),
    held_by: Type.Optional(
      described(
        HumanRef,
        'The person who got the key by signing in to the dashboard with a provider. Stopping or erasing the person deletes it.',
      ),
    ),
    log_index: described(LogIndex, 'Index of the log entry that created the key.'),
    last_used_at: Type.Optional(
      described(
        Instant,
        'In lists: when the key was last used, to the minute. Absent if it was not used within the last 30 days.',
      ),
    ),
  },
  { title: 'ApiKey', description: 'An API key, without its secret.' },
)
export type ApiKey = Static<typeof ApiKey>

/** Shown once, when the key is created. */
const NewApiKey = Closed(
  {
    ...ApiKey.properties,
    key: Text('The whole key. It is shown only here and stored only as a keyed hash.'),
  },
  { title: 'CreatedApiKey', description: 'A new API key, with its secret.' },
)

const KeyLifetime = Type.Optional(
  Type.Integer({
    minimum: 60,
    maximum: 31_536_000,
    description: 'Lifetime in seconds. Ninety days by default, at most one year.',
  }),
)

export const createKey = operation({
  method: 'POST',
  path: '/v1/vat/keys',
  tag: 'Access',
  summary: 'Create an API key',
  body: Closed({
    name: Text('What the key is for.', { minLength: 1, maxLength: 100 }),
    role: KeyRole,
    tenant_id: Type.Optional(described(TenantId, 'Tenant of the key. Your own by default.')),
    audience: Type.Optional(
      described(
        Audience,
        'The `aud` that tokens must name to be used at this resource server. Required for the role resource_server, not allowed for others.',
      ),
    ),
    expires_in: KeyLifetime,
  }),
  body_rules: {
    if: { properties: { role: { const: 'resource_server' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['audience'] },
    else: { not: { required: ['audience'] } },
  },
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
  description: 'The keys of your tenant, newest first, without their secrets.',
  query: Closed({
    tenant_id: Type.Optional(described(TenantId, 'Only this tenant. Your own by default.')),
    ...PageQuery,
  }),
  response: PageOf(ApiKey),
  access: { ...about('tenant', '/query/tenant_id'), operator: 'tenant', auditor: 'tenant' },
  errors: [],
})

export const deleteKey = operation({
  method: 'DELETE',
  path: '/v1/vat/keys/{key_id}',
  tag: 'Access',
  summary: 'Delete an API key',
  description:
    'The key stops working at once on this node, and within two seconds on other nodes. Webhooks that it created, and those whose address it set last, are disabled, unless a rotation replaced it with a key that works; `POST /v1/vat/webhooks/{webhook_id}/enable` resumes one where it stopped. Signal streams that it created continue, because gateways learn from them what was revoked.',
  params: Closed({ key_id: KeyId }),
  response: Closed({
    deleted: Flag('Always true.'),
    key_id: KeyId,
    disabled_webhooks: Type.Array(Text('A webhook.'), {
      description:
        'The webhooks that were disabled because the key had created them or set their address last.',
    }),
    kept_streams: Type.Array(Text('A stream.'), {
      description:
        'The streams that the key had created and that are still pushed. Delete those that you do not recognize.',
    }),
  }),
  lane: 'stop',
  access: { ...about('key', '/params/key_id'), operator: 'tenant' },
  errors: ['key_unknown', 'registry_conflict'],
})

export const rotateKey = operation({
  method: 'POST',
  path: '/v1/vat/keys/{key_id}/rotate',
  tag: 'Access',
  summary: 'Replace an API key',
  description:
    'Creates a key with the same name, role and tenant. The old key keeps working for `overlap_s` seconds. A key that a person got by signing in with a provider cannot be replaced.',
  params: Closed({ key_id: KeyId }),
  body: Closed({
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description: 'Seconds for which the old key keeps working. One day by default.',
      }),
    ),
    expires_in: KeyLifetime,
  }),
  status: 201,
  response: NewApiKey,
  access: { ...about('key', '/params/key_id'), operator: 'tenant' },
  errors: ['key_unknown', 'held_key', 'registry_conflict'],
})

export const setUp = operation({
  method: 'POST',
  path: '/v1/vat/setup',
  tag: 'Access',
  summary: 'Create the first operator key',
  description:
    'In keyed mode a new deployment prints a setup secret when it starts. The secret works once, for this call.',
  body: Closed({
    setup_secret: Text('The setup secret. Starts with dsu_.', { minLength: 1, maxLength: 100 }),
    name: Type.Optional(Text('What the key is for.', { minLength: 1, maxLength: 100 })),
  }),
  status: 201,
  response: NewApiKey,
  access: PUBLIC,
  errors: ['already_set_up', 'credential_invalid'],
})
