import { Type } from 'typebox'
import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Closed } from '../shapes.ts'

export const getDeployment = operation({
  method: 'GET',
  path: '/.well-known/deputy.json',
  tag: 'Discovery',
  summary: 'This deployment',
  description:
    'Issuer, access mode, where the API is described, and the name and key of the log. Pin the key: it never changes.',
  response: Closed({
    issuer: Type.String(),
    access: Type.String(),
    api: Closed({ version: Type.String(), openapi: Type.String(), docs: Type.String() }),
    jwks_uri: Type.String(),
    log: Closed({
      origin: Type.String({ description: 'The name of the log, as its checkpoints bear it.' }),
      vkey: Type.String({ description: 'The key of the log, as signed notes name keys.' }),
    }),
  }),
  access: PUBLIC,
  errors: [],
})

export const getHealth = operation({
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Alive?',
  response: Closed({ status: Type.Literal('ok') }),
  access: PUBLIC,
  errors: [],
})

export const getReadiness = operation({
  method: 'GET',
  path: '/readyz',
  tag: 'Service',
  summary: 'Ready?',
  description: 'Whether the service can make changes durable right now.',
  response: Closed({ status: Type.Literal('ready') }),
  access: PUBLIC,
  errors: ['storage_unavailable', 'shutting_down'],
})

export const KeySet = Closed({
  keys: Type.Array(
    Closed({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      use: Type.String(),
    }),
  ),
})

export const getKeySet = operation({
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Discovery',
  summary: 'Public keys (JWK Set)',
  description: 'The keys that verify tokens, with the retired ones whose tokens may still be valid.',
  cache_control: 'public, max-age=60',
  response: KeySet,
  access: PUBLIC,
  errors: [],
})

export const getAuthorizationServer = operation({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag: 'Discovery',
  summary: 'OAuth metadata (RFC 8414)',
  cache_control: 'public, max-age=300',
  response: Closed({
    issuer: Type.String(),
    token_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    jwks_uri: Type.String(),
    service_documentation: Type.String(),
    response_types_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_methods_supported: Type.Array(Type.String()),
    dpop_signing_alg_values_supported: Type.Array(Type.String()),
  }),
  access: PUBLIC,
  errors: [],
})
