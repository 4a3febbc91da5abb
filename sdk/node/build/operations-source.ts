import { globSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ERRORS, OPERATIONS, type Operation, VERIFICATION_REASONS } from '@deputize/protocol'
import { comment, type Schema, type TypeWriter, typeWriter } from './schema-types.ts'

const PROTOCOL = fileURLToPath(new URL('../../../protocol/src/', import.meta.url))

/** The text of `src/generated/operations.ts`: every operation as data, and the types of what goes in and comes out. */
export async function operationsSource(): Promise<string> {
  const writer = typeWriter(await namedSchemas())
  const rows = Object.entries<Operation>(OPERATIONS)
  const types = rows.map(([id, row]) => typesOf(id, row, writer))
  return `// Written by build/write-operations.ts from the table of operations. Do not edit: run \`npm run generate\`.
import type { Call, Download, OptionalCall, OptionalPagedCall, PagedCall } from '../call-types.ts'

${tableSource(rows)}
export type OperationId = keyof typeof OPERATIONS

/** Every code that the service refuses with. */
export type ErrorCode = ${union(Object.keys(ERRORS))}

/** Why a token is not to be believed. */
export type VerificationReason = ${union(VERIFICATION_REASONS)}

/** Every operation of the service, by its name. */
export interface Methods {
${types.map(({ method }) => method).join('')}}

${types.flatMap(({ declarations }) => declarations).join('\n')}
${writer.declarations().join('\n')}`
}

/** What protocol calls by a name of its own is called the same here. */
async function namedSchemas(): Promise<Map<string, Schema>> {
  const named = new Map<string, Schema>()
  const files = globSync('api/**/*.ts', { cwd: PROTOCOL }).filter((file) => !file.includes('write-'))
  for (const file of files.sort()) {
    const exported: Record<string, unknown> = await import(pathToFileURL(`${PROTOCOL}${file}`).href)
    for (const [name, value] of Object.entries(exported))
      if (isNamable(name, value)) named.set(name, plain(value))
  }
  return new Map([...named].sort(([a], [b]) => a.localeCompare(b)))
}

function isNamable(name: string, value: unknown): value is object {
  return /^[A-Z][a-z]/.test(name) && typeof value === 'object' && value !== null && 'properties' in value
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

function pageKind({ properties = {} }: Schema): 'cursor' | 'start' | undefined {
  if (properties.data === undefined) return undefined
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
    method: `/**\n * ${about}\n */\n${id}: ${call}<${name}Input, ${answer.type}${page_item}>\n`,
    declarations: [inputType(name, writer.membersOf(input, { undefined_too: true })), ...answer.declarations],
  }
}

function inputType(name: string, members: string): string {
  if (members === '') return `export type ${name}Input = Record<string, never>\n`
  return `export interface ${name}Input {\n${members}}\n`
}

/** Path, query and body in one object: a name means one thing in all of them. */
function inputSchema(id: string, { params, query, body }: Operation): Schema {
  const parts = [params, query, body].flatMap((part) => (part === undefined ? [] : [plain(part)]))
  const names = parts.flatMap(({ properties }) => Object.keys(properties ?? {}))
  if (new Set(names).size < names.length) throw new Error(`${id}: a name stands for two things`)
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  }
}

function answerType(name: string, { streams }: Operation, response: Schema, writer: TypeWriter) {
  if (streams !== undefined) return { type: 'Download', declarations: [] }
  const type = writer.typeOf(response)
  if (!type.startsWith('{')) return { type, declarations: [] }
  const declaration = `${comment(response.description)}export interface ${name}Answer ${type}\n`
  return { type: `${name}Answer`, declarations: [declaration] }
}

/** Schemas carry hidden members of their library; JSON has none. */
function plain(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema))
}

function union(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' | ')
}
