import type { TSchema } from 'typebox'
import { exampleEvent } from '../events/event-examples.ts'
import { eventSchema } from '../events/event-schema.ts'
import { EVENT_SUMMARIES, EVENT_TYPES } from '../events/event-types.ts'
import { ACCESS } from './access-table.ts'
import { KEY_ROLES } from './deployment/tenants-and-keys.ts'
import { ERRORS, type ErrorCode } from './errors.ts'
import type { Example, Examples } from './example.ts'
import { EXAMPLES } from './generated/examples.ts'
import { OAUTH_ERRORS } from './oauth.ts'
import { type DocumentSchema, type SchemaWriter, schemaWriter } from './openapi-schemas.ts'
import { mayOmitBody, type Operation, TAGS } from './operation.ts'
import { OPERATIONS, type OperationId } from './operations.ts'

type Entry = Record<string, unknown>

/** Errors that any operation can return. */
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
  'storage_full',
  'clock_jumped',
]

/** Errors of operations that need a credential. */
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
    description: 'The token of the agent, with a proof of possession of its key (RFC 9449).',
  },
  bearer_token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of the agent, if it is not bound to a key and the tenant allows that.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-deputy_session',
    description: 'The session of a signed-in person. Changes also need the header Deputy-CSRF.',
  },
}

/** Credentials for keyed mode. The empty entry stands for open mode. */
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
  description:
    'Makes a retry safe: for 24 hours the same key with the same body returns the first response again. Calls that create API keys and webhooks ignore it, because their secrets are shown only once. Printable ASCII without spaces.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
}

const PROBLEM = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', description: 'Path of the help page for this error.' },
    title: { type: 'string', description: 'Title of the error.' },
    status: { type: 'integer', format: 'int64', description: 'HTTP status.' },
    detail: { type: 'string', description: 'What is wrong and how to fix it.' },
    code: { type: 'string', enum: Object.keys(ERRORS), description: 'Stable code of the error.' },
    request_id: { type: 'string', description: 'ID of the request, for the log of the service.' },
    errors: {
      type: 'array',
      description: 'One entry for each invalid field.',
      items: { $ref: '#/components/schemas/FieldError' },
    },
  },
}

const FIELD_ERROR = {
  type: 'object',
  required: ['pointer', 'detail'],
  properties: {
    pointer: {
      type: 'string',
      description: 'JSON pointer to the field, `?name` for a query parameter, `{name}` for a path parameter.',
    },
    detail: { type: 'string', description: 'What the field must be.' },
  },
}

const OAUTH_ERROR = {
  type: 'object',
  description: 'An OAuth error (RFC 6749 section 5.2).',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', enum: [...OAUTH_ERRORS], description: 'OAuth error code.' },
    error_description: { type: 'string', description: 'What is wrong and how to fix it.' },
  },
}

const INTRODUCTION = `**Simple path:** issue a token, then call *Record an action* after each action of the agent.

**Full control:** issue a token, *Authorize* before acting, act, *Complete*, and let a person *Rate*.

Errors are RFC 9457 problems: \`code\` is stable, \`detail\` says how to fix the request, and \`type\` is a help page on
this service. Unknown fields and parameters are refused, so a mistyped constraint never yields an unconstrained token.
Every POST accepts an \`Idempotency-Key\`.

Operations with \`x-deputy-lane: stop\` take back authority. No quota of a tenant or an address applies to them, they go
ahead of everything that waits, and they work while the disk is full or the clock is wrong.

In open mode, on one machine, calls need no credential. In keyed mode each operation lists the credentials it accepts.`

/** The OpenAPI 3.1 document, made from the same rows as the routes. */
export function openApiDocument(version: string, examples: Examples = EXAMPLES): Record<string, unknown> {
  const schemas = schemaWriter()
  const parameters = parameterWriter(schemas)
  const problems = problemWriter()
  const paths: Record<string, Entry> = {}
  for (const [id, row] of Object.entries<Operation>(OPERATIONS)) {
    const writers = { schemas, parameters, problems }
    const entry = describeOperation(id as OperationId, row, examples[id] ?? {}, writers) // the keys of the table
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: entry }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deputy',
      version,
      summary:
        'A verified person lets an AI agent act on their behalf, within limits, and stays accountable.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides', url: '/guides' },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeEvents(schemas),
    components: {
      schemas: {
        ...schemas.components(),
        Problem: PROBLEM,
        FieldError: FIELD_ERROR,
        OAuthError: OAUTH_ERROR,
      },
      parameters: parameters.components(),
      responses: problems.components(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

interface Writers {
  readonly schemas: SchemaWriter
  readonly parameters: ParameterWriter
  readonly problems: ProblemWriter
}

function describeOperation(
  id: OperationId,
  row: Operation,
  { body, response }: Example,
  { schemas, parameters, problems }: Writers,
): Entry {
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`
  return {
    operationId: id,
    tags: [row.tag],
    summary: row.summary,
    ...(row.description !== undefined && { description: row.description }),
    ...(row.lane !== undefined && { 'x-deputy-lane': row.lane }),
    security: securityOf(id),
    parameters: [
      ...parameters.write('path', row.params),
      ...parameters.write('query', row.query),
      ...(row.method === 'POST' ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
    ],
    ...(row.body !== undefined && {
      requestBody: {
        required: !mayOmitBody(row),
        content: {
          [row.form === true ? 'application/x-www-form-urlencoded' : 'application/json']: {
            schema: schemas.write(row.body, 'request', `${name}Request`, row.body_rules),
            ...(body !== undefined && { example: body }),
          },
        },
      },
    }),
    responses: {
      [row.status ?? 200]: {
        description: 'Success.',
        content: answers(row, schemas.write(row.response, 'answer', `${name}Response`), response),
      },
      ...problems.write(id, row),
    },
  }
}

const EVENT_STREAM = {
  type: 'string',
  description:
    'Server-sent events. `data` of each is an event as JSON, `id` its log index. Comments keep the connection open. A last event `closing` says why the service ends the stream, with the `cursor` to resume from.',
}

/** One entry for each type of event, as streams and webhooks send it. */
function describeEvents(schemas: SchemaWriter): Entry {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          tags: ['Events'],
          summary: EVENT_SUMMARIES[type],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.write(eventSchema(type), 'answer'),
                example: exampleEvent(type),
              },
            },
          },
          responses: { '2XX': { description: 'Received.' } },
        },
      },
    ]),
  )
}

/** A download is available in several types. The recorded example is of the first. */
function answers(row: Operation, schema: DocumentSchema, example: unknown): Entry {
  const types = row.streams ?? [row.media_type ?? 'application/json']
  return {
    ...Object.fromEntries(
      types.map((type, at) => [type, { schema, ...(at === 0 && example !== undefined && { example }) }]),
    ),
    ...(row.event_stream === true && { 'text/event-stream': { schema: EVENT_STREAM } }),
  }
}

interface ParameterWriter {
  write(place: 'path' | 'query', schema: TSchema | undefined): Entry[]
  components(): Record<string, Entry>
}

/**
 * Writes parameters that several operations share as components, named after the parameter, and its type if names
 * clash.
 */
function parameterWriter(schemas: SchemaWriter): ParameterWriter {
  const described = Object.values<Operation>(OPERATIONS).flatMap(({ params, query }) => [
    ...parametersOf('path', params, schemas),
    ...parametersOf('query', query, schemas),
  ])
  const texts = Map.groupBy(described, (parameter) => JSON.stringify(parameter))
  const shared = [...texts.values()].flatMap(([first, ...more]) =>
    first !== undefined && more.length > 0 ? [first] : [],
  )
  const names = new Map(shared.map((parameter) => [JSON.stringify(parameter), nameIn(shared, parameter)]))
  if (new Set(names.values()).size < names.size) throw new Error('Two shared parameters have the same name.')
  return {
    write: (place, schema) =>
      parametersOf(place, schema, schemas).map((parameter) => {
        const name = names.get(JSON.stringify(parameter))
        return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
      }),
    components: () => ({
      ...Object.fromEntries(shared.map((parameter) => [names.get(JSON.stringify(parameter)), parameter])),
      'Idempotency-Key': IDEMPOTENCY_KEY,
    }),
  }
}

function nameIn(shared: readonly Parameter[], { name, in: place, schema }: Parameter): string {
  const namesakes = shared.filter((other) => other.name === name)
  if (namesakes.length === 1) return name
  const type = typeof schema.$ref === 'string' ? [schema.$ref.split('/').at(-1)] : []
  return [place, ...type, name].join('.')
}

interface Parameter extends Entry {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: DocumentSchema
}

function parametersOf(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  schemas: SchemaWriter,
): Parameter[] {
  if (schema === undefined) return []
  const { properties, required = [] } = schema as {
    properties: Record<string, TSchema & { description?: string }>
    required?: string[]
  } // rows describe parameters as objects
  return Object.entries(properties).map(([name, member]) => {
    const { description: _, ...type } = schemas.write(member, 'request')
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(member.description !== undefined && { description: member.description }),
      schema: type,
    }
  })
}

interface ProblemWriter {
  /** The errors of an operation, by status. */
  write(id: OperationId, row: Operation): Entry
  components(): Record<string, Entry>
}

/** Operations with the same errors for a status share a response, which is named after those errors. */
function problemWriter(): ProblemWriter {
  const components = new Map<string, Entry>()
  return {
    write(id, row) {
      const codes = [
        ...row.errors,
        ...(ACCESS[id].public === true ? [] : COMMON_KEYED),
        ...(row.method === 'POST' ? COMMON_WRITING : COMMON),
      ]
      const by_status = [...Map.groupBy(codes, (code) => ERRORS[code].status)].sort(([a], [b]) => a - b)
      return Object.fromEntries(
        by_status.map(([status, list]) => {
          const name = row.oauth_errors === true ? 'oauth_error' : list.join('.')
          components.set(name, name === 'oauth_error' ? OAUTH_RESPONSE : problemResponse(list))
          return [status, { $ref: `#/components/responses/${name}` }]
        }),
      )
    },
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const OAUTH_RESPONSE = {
  description: 'An OAuth error.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
}

function problemResponse(codes: readonly ErrorCode[]): Entry {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}
