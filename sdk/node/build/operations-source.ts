import {
  ERRORS,
  GENERAL_DESCRIPTION,
  OPERATIONS,
  type Operation,
  VERIFICATION_REASONS,
} from '@deputize/protocol'
import { comment, type Schema, type TypeWriter, typeWriter, type Variants } from './schema-types.ts'

/** The members of an answer to `authorize` depend on `authorized` and `dry_run`. */
const VARIANTS: Variants = {
  AuthorizeResponse: {
    AllowedDecision: {
      about: 'The action is allowed, and its record is pending.',
      types: {
        authorized: 'true',
        ...absent('dry_run', 'reason', 'reasons', 'details', 'denial_id', 'approval_id'),
      },
      required: ['aar_id', 'expires_at'],
    },
    DeniedDecision: {
      about: 'The action is denied. `reasons` says why.',
      types: { authorized: 'false', ...absent('dry_run', 'expires_at') },
      required: ['reason', 'reasons'],
    },
    DryRunDecision: {
      about: 'What `authorize` would answer. Nothing was stored, so there is no record and no denial.',
      types: { dry_run: 'true', ...absent('aar_id', 'denial_id', 'approval_id', 'expires_at') },
      required: ['dry_run'],
    },
  },
}

/** Methods whose answer depends on the input. Their types are in `call-types.ts`. */
const OVERLOADED: Readonly<Record<string, string>> = {
  authorize: 'DryRunCall<AuthorizeInput, AllowedDecision | DeniedDecision, DryRunDecision>',
}

/**
 * Returns members that are never present but can be read, so that an answer can be destructured before it is narrowed.
 */
function absent(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'undefined']))
}

/** Returns the text of `src/generated/operations.ts`: every operation as data, and the types of inputs and answers. */
export function operationsSource(): string {
  const writer = typeWriter(VARIANTS)
  const rows = Object.entries<Operation>(OPERATIONS)
  const types = rows.map(([id, row]) => typesOf(id, row, writer))
  return `// Written from the table of operations by \`npm run generate\`. Do not edit.
import type { Call, Download, DryRunCall, OptionalCall, OptionalPagedCall, PagedCall } from '../calls/call-types.ts'

${tableSource(rows)}
export type OperationId = keyof typeof OPERATIONS

/** Every error code of the service. */
export type ErrorCode = ${union(Object.keys(ERRORS))}

/** Why a token is not valid. */
export type VerificationReason = ${union(VERIFICATION_REASONS)}

/** Every operation of the service. */
export interface Methods {
${types.map(({ method }) => method).join('')}}

${types.flatMap(({ declarations }) => declarations).join('\n')}
${writer.declarations().join('\n')}`
}

function tableSource(rows: readonly (readonly [string, Operation])[]): string {
  return `/** Every operation as data: what \`deputy()\` makes its methods from. */
export const OPERATIONS = {
${rows.map(([id, row]) => `${id}: ${rowSource(row)},\n`).join('')}} as const\n`
}

function rowSource({
  method,
  path,
  params,
  rest,
  query,
  body,
  form,
  streams,
  media_type,
  response,
}: Operation) {
  const members = {
    method,
    path,
    ...(params !== undefined && { params: Object.keys(plain(params).properties ?? {}) }),
    ...(rest !== undefined && { rest }),
    ...(query !== undefined && { query: Object.keys(plain(query).properties ?? {}) }),
    ...(body !== undefined && { body: form === true ? 'form' : 'json' }),
    answer: answerKind(streams, media_type, plain(response)),
    ...(pageKind(plain(response)) !== undefined && { pages: pageKind(plain(response)) }),
  }
  return JSON.stringify(members)
    .replaceAll("'", "\\'")
    .replaceAll('"', "'")
    .replaceAll(/'(\w+)':/g, '$1:')
}

function answerKind(streams: Operation['streams'], media_type: string | undefined, response: Schema): string {
  if (streams !== undefined) return 'download'
  if (response.format === 'binary') return 'bytes'
  return media_type === undefined ? 'json' : 'text'
}

function pageKind({ properties = {} }: Schema): 'cursor' | 'after' | 'start' | undefined {
  if (properties.data === undefined) return undefined
  if (properties.next_cursor?.type === 'integer') return 'after'
  if (properties.next_cursor !== undefined) return 'cursor'
  return properties.next_start === undefined ? undefined : 'start'
}

function typesOf(id: string, row: Operation, writer: TypeWriter) {
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`
  const input = inputSchema(id, row)
  const response = plain(row.response)
  const answer = answerType(name, row, response, writer)
  const call = `${(input.required ?? []).length === 0 ? 'Optional' : ''}${pageKind(response) === undefined ? '' : 'Paged'}Call`
  const item = response.properties?.data?.items
  const page_item = pageKind(response) === undefined ? '' : `, ${writer.typeOf(item ?? {})}`
  const about = [`${row.summary}. ${row.description ?? ''}`.trim(), `\`${row.method} ${row.path}\``].join(
    '\n *\n * ',
  )
  return {
    method: `/**\n * ${about}\n */\n${id}: ${OVERLOADED[id] ?? `${call}<${name}Input, ${answer.type}${page_item}>`}\n`,
    declarations: [inputType(name, writer.membersOf(input, { undefined_too: true })), ...answer.declarations],
  }
}

function inputType(name: string, members: string): string {
  if (members === '') return `export type ${name}Input = Record<string, never>\n`
  return `export interface ${name}Input {\n${members}}\n`
}

/** Merges path, query and body into one object. Throws if a name occurs in two of them. */
function inputSchema(id: string, { params, query, body }: Operation): Schema {
  const parts = [params, query, body].flatMap((part) => (part === undefined ? [] : [plain(part)]))
  const names = parts.flatMap(({ properties }) => Object.keys(properties ?? {}))
  if (new Set(names).size < names.length)
    throw new Error(`${id}: a name occurs twice in the path, query and body`)
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  }
}

function answerType(name: string, { streams }: Operation, response: Schema, writer: TypeWriter) {
  if (streams !== undefined) return { type: 'Download', declarations: [] }
  const type = writer.typeOf(response)
  if (response.properties === undefined) return { type, declarations: [] }
  if (response.title !== undefined) return { type, declarations: [`export type ${name}Answer = ${type}\n`] }
  const about = comment(response.description)
  const declaration =
    Object.keys(response.properties).length === 0
      ? `${about}export type ${name}Answer = Record<string, never>\n`
      : `${about}export interface ${name}Answer ${type}\n`
  return { type: `${name}Answer`, declarations: [declaration] }
}

/** Returns the schema as JSON, without its library's hidden members, but with its component's description. */
function plain(schema: object): Schema {
  return JSON.parse(
    JSON.stringify(schema, (_, value) =>
      typeof value === 'object' && value !== null && GENERAL_DESCRIPTION in value
        ? { ...value, general_description: value[GENERAL_DESCRIPTION] }
        : value,
    ),
  )
}

function union(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' | ')
}
