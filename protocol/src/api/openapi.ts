import type { TSchema } from 'typebox'
import { ACCESS } from './access-table.ts'
import { KEY_ROLES } from './deployment/tenants-and-keys.ts'
import { ERRORS, type ErrorCode } from './errors.ts'
import { OAUTH_ERRORS } from './oauth.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS, type OperationId } from './operations.ts'

/** Refusals that any operation may answer with. */
const COMMON: readonly ErrorCode[] = [
  'invalid_request',
  'host_not_allowed',
  'rate_limited',
  'internal',
  'storage_unavailable',
]
const COMMON_WRITING: readonly ErrorCode[] = [
  ...COMMON,
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'idempotency_mismatch',
  'overloaded',
]

/** Refusals of whoever has to say who they are. */
const COMMON_KEYED: readonly ErrorCode[] = [
  'credential_required',
  'credential_invalid',
  'role_not_allowed',
  'cross_site_request',
]

const SECURITY_SCHEMES = {
  api_key: { type: 'http', scheme: 'bearer', bearerFormat: 'dk_...', description: 'An API key.' },
  agent_token: {
    type: 'http',
    scheme: 'DPoP',
    description: 'The token of the agent itself, with a proof of its key (RFC 9449).',
  },
  bearer_token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of the agent itself, where it is bound to no key and the tenant allows that.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-deputy_session',
    description: 'A person who has signed in. Changes also carry the header Deputy-CSRF.',
  },
}

/** In keyed mode; open mode asks nobody. */
function securityOf(id: OperationId): Record<string, never[]>[] {
  const row = ACCESS[id]
  if (row.public === true) return [{}]
  const isForKeys = KEY_ROLES.some((role) => row[role] !== undefined)
  return [
    {},
    ...(isForKeys ? [{ api_key: [] }] : []),
    ...(row.agent === undefined ? [] : [{ agent_token: [] }, { bearer_token: [] }]),
    ...(row.human === undefined ? [] : [{ session: [] }]),
  ]
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeat a request safely: for 24 hours the same key and body answer the first response again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const PROBLEM = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', description: 'Address of a help page, served by the service itself.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong and how to mend it.' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      description: 'One entry for each field that does not fit.',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
}

const INTRODUCTION = `**Simple path:** issue a token, then call *Record an action* after each thing the agent does.

**Full control:** issue a token, *Authorize* before acting, act, *Complete*, and let a human *Rate*.

Errors are RFC 9457 problems: \`code\` is stable, \`detail\` says how to mend the request, \`type\` is a help page served
here. Unknown fields are refused, so that a mistyped constraint never yields an unconstrained token. Every POST takes an
\`Idempotency-Key\`.

In open mode, on one machine, no call needs a credential. In keyed mode each call names those it takes.`

/** The OpenAPI 3.1 description of every operation, made from the same rows as the routes. */
export function openApiDocument(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [id, row] of Object.entries<Operation>(OPERATIONS)) {
    const path = paths[row.path] ?? {}
    path[row.method.toLowerCase()] = describeOperation(id as OperationId, row) // the names are the keys of the table
    paths[row.path] = path
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deputy',
      version,
      summary: 'A verified human lets an AI agent act in their name, within limits, and stays accountable.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values<Operation>(OPERATIONS).map((row) => row.tag))].map((name) => ({ name })),
    paths,
    components: { schemas: { Problem: PROBLEM }, securitySchemes: SECURITY_SCHEMES },
  }
}

function describeOperation(id: OperationId, row: Operation): Record<string, unknown> {
  return {
    operationId: id,
    tags: [row.tag],
    summary: row.summary,
    ...(row.description !== undefined && { description: row.description }),
    security: securityOf(id),
    parameters: [
      ...parameters('path', row.params),
      ...parameters('query', row.query),
      ...(row.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(row.body !== undefined && { requestBody: requestBody(row.body, row) }),
    responses: {
      [row.status ?? 200]: {
        description: 'Done.',
        content: Object.fromEntries(
          (row.streams ?? [row.media_type ?? 'application/json']).map((type) => [
            type,
            { schema: plain(row.response) },
          ]),
        ),
      },
      ...problems(id, row),
      ...(row.oauth_errors === true && { 400: OAUTH_REFUSAL }),
    },
  }
}

const OAUTH_REFUSAL = {
  description: 'An OAuth refusal.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error', 'error_description'],
        properties: {
          error: { type: 'string', enum: [...OAUTH_ERRORS] },
          error_description: { type: 'string' },
        },
      },
    },
  },
}

function parameters(place: 'path' | 'query', schema: TSchema | undefined): Record<string, unknown>[] {
  if (schema === undefined) return []
  const { properties, required = [] } = plain(schema) as {
    properties: Record<string, { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: type,
  }))
}

function requestBody(schema: TSchema, { example, form }: Operation): Record<string, unknown> {
  const type = form === true ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    required: true,
    content: { [type]: { schema: plain(schema), ...(example !== undefined && { example }) } },
  }
}

/** Refusals with the same status share one entry. */
function problems(id: OperationId, row: Operation): Record<string, unknown> {
  const codes = [
    ...row.errors,
    ...(ACCESS[id].public === true ? [] : COMMON_KEYED),
    ...(row.method === 'POST' ? COMMON_WRITING : COMMON),
  ]
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status)
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, list]) => [
        status,
        {
          description: list.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  )
}

/** Schemas carry hidden members of their library; JSON has none. */
function plain(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema))
}
