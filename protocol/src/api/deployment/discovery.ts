import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Closed, described, Instant, Text } from '../shapes.ts'
import { UnreadyReasonShape, WARNINGS } from './service-status.ts'

function Texts(description: string) {
  return Type.Array(Type.String(), { description })
}

export const getDeployment = operation({
  method: 'GET',
  path: '/.well-known/deputy.json',
  tag: 'Discovery',
  summary: 'Describe this deployment',
  description:
    'Returns the issuer, the access mode, the address of the API description, and the name and key of the log. Pin the key of the log: it never changes.',
  response: Closed({
    issuer: Text('Issuer of the tokens.'),
    access: Text('Access mode: open or keyed.'),
    api: Closed(
      {
        version: Text('Version of the service.'),
        openapi: Text('Address of the OpenAPI document.'),
        docs: Text('Address of the API reference.'),
      },
      { description: 'The API of the service.' },
    ),
    jwks_uri: Text('Address of the public keys.'),
    log: Closed(
      {
        origin: Text('Name of the log, as its checkpoints carry it.'),
        vkey: Text('Verifier key of the log (C2SP signed-note).'),
      },
      { description: 'The transparency log.' },
    ),
  }),
  access: PUBLIC,
  errors: [],
})

export const getHealth = operation({
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Check that the service is running',
  response: Closed({ status: Type.Literal('ok', { description: 'Always ok.' }) }),
  access: PUBLIC,
  errors: [],
})

export const getReadiness = operation({
  method: 'GET',
  path: '/readyz',
  tag: 'Service',
  summary: 'Check that the service is ready',
  description:
    'Succeeds when the service can commit changes. Otherwise the problem carries `ready: false` and `reasons`: each has the `code` of an error and a `detail`.',
  response: Closed({
    status: Type.Literal('ready', { description: 'Always ready.' }),
    ready: Type.Literal(true, { description: 'Always true. A problem carries false.' }),
    reasons: Type.Array(UnreadyReasonShape, {
      maxItems: 0,
      description: 'Always empty. A problem lists why the service is not ready.',
    }),
    log_verified_at: Type.Optional(
      described(Instant, 'When the whole log was last read back and compared with its hashes.'),
    ),
    warnings: Type.Optional(
      Type.Array(Type.Literal('restore_unnoticed', { description: WARNINGS.restore_unnoticed }), {
        description: WARNINGS.list,
      }),
    ),
  }),
  access: PUBLIC,
  errors: ['storage_unavailable', 'storage_full', 'storage_damaged', 'clock_jumped', 'shutting_down'],
})

export const KeySet = Closed(
  {
    keys: Type.Array(
      Closed({
        kty: Text('Key type.'),
        crv: Text('Curve.'),
        x: Text('The public key, in base64url.'),
        kid: Text('Key ID.'),
        alg: Text('Algorithm.'),
        use: Text('Use of the key.'),
        purpose: Text(
          'What the key signs: tokens, status_lists or statements. Do not accept it for anything else.',
        ),
      }),
      { description: 'The public keys.' },
    ),
  },
  { title: 'KeySet', description: 'A JWK Set (RFC 7517).' },
)

export const getKeySet = operation({
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Discovery',
  summary: 'Get the public keys (JWK Set)',
  description:
    'The keys that verify tokens, status lists and statements, including retired keys whose tokens can still be valid, and the next keys, which do not sign yet.',
  cache_control: 'public, max-age=60',
  response: KeySet,
  access: PUBLIC,
  errors: [],
})

export const getAuthzenConfiguration = operation({
  method: 'GET',
  path: '/.well-known/authzen-configuration',
  tag: 'Discovery',
  summary: 'Get the AuthZEN metadata',
  description: 'Metadata of the OpenID AuthZEN Authorization API 1.0.',
  cache_control: 'public, max-age=300',
  response: Closed({
    policy_decision_point: Text('Address of the service.'),
    access_evaluation_endpoint: Text('Address of the Access Evaluation API.'),
    access_evaluations_endpoint: Text('Address of the Access Evaluations API.'),
  }),
  access: PUBLIC,
  errors: [],
})

export const getAuthorizationServer = operation({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag: 'Discovery',
  summary: 'Get the OAuth metadata (RFC 8414)',
  cache_control: 'public, max-age=300',
  response: Closed({
    issuer: Text('Issuer of the tokens.'),
    token_endpoint: Text('Address of the token endpoint.'),
    revocation_endpoint: Text('Address of the revocation endpoint.'),
    introspection_endpoint: Text('Address of the introspection endpoint.'),
    jwks_uri: Text('Address of the public keys.'),
    service_documentation: Text('Address of the API reference.'),
    response_types_supported: Texts('Always empty: there is no authorization endpoint.'),
    grant_types_supported: Texts('Grant types of the token endpoint.'),
    token_endpoint_auth_methods_supported: Texts('How clients authenticate at the token endpoint.'),
    introspection_endpoint_auth_methods_supported: Texts(
      'How clients authenticate at the introspection endpoint.',
    ),
    revocation_endpoint_auth_methods_supported: Texts('How clients authenticate at the revocation endpoint.'),
    dpop_signing_alg_values_supported: Texts('Algorithms for DPoP proofs.'),
  }),
  access: PUBLIC,
  errors: [],
})
