import type { TSchema } from 'typebox'
import { TEXT_FORMATS } from '../encoding/grammar.ts'
import { GENERAL_DESCRIPTION } from './shapes.ts'
import { AGENT_JWK } from './tokens/agent-jwk.ts'

/** A schema as the OpenAPI document writes it. */
export type DocumentSchema = Record<string, unknown>

/** What a schema describes. Answers may gain members, so only requests forbid members that the schema doesn't name. */
export type Direction = 'request' | 'answer'

interface SchemaParts {
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly propertyNames?: { readonly format: string }
  readonly additionalProperties?: boolean
  readonly foldsRepeats?: boolean
  readonly [GENERAL_DESCRIPTION]?: string | undefined
}

export interface SchemaWriter {
  /** The schema, or a reference to its component, which gets the `rules`. An object without a title is called `name`. */
  write(schema: TSchema, direction: Direction, name?: string, rules?: DocumentSchema): DocumentSchema
  /** The components that were referred to, by name. */
  components(): Record<string, DocumentSchema>
}

/** Fuller schemas for the document than the ones that the service validates with. */
const FULLER: Readonly<Record<string, DocumentSchema>> = { AgentJwk: AGENT_JWK }

export function schemaWriter(): SchemaWriter {
  const components = new Map<string, DocumentSchema>()

  function write(
    schema: TSchema,
    direction: Direction,
    name?: string,
    rules: DocumentSchema = {},
  ): DocumentSchema {
    const { title, [GENERAL_DESCRIPTION]: own, ...parts }: SchemaParts = schema
    const component = title ?? (parts.properties === undefined ? undefined : name)
    // Enums may grow, but some generators turn named ones into closed types, which clash if two share a word.
    if (component === undefined || parts.enum !== undefined) return written(parts, direction)
    const general = GENERAL_DESCRIPTION in schema ? own : parts.description
    const { description: _, ...rest } = parts
    const described = { ...(general !== undefined && { description: general }), ...rest }
    define(component, { ...written(described, direction), ...rules })
    return {
      $ref: `#/components/schemas/${component}`,
      ...(parts.description !== general && { description: parts.description }),
    }
  }

  function define(name: string, documented: DocumentSchema): void {
    const schema = FULLER[name] ?? documented
    const known = components.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two different schemas have the title ${name}.`)
    components.set(name, schema)
  }

  function written(parts: SchemaParts, direction: Direction): DocumentSchema {
    // Repeated list entries count once, so the document allows them.
    const {
      foldsRepeats: _,
      propertyNames,
      properties,
      items,
      anyOf,
      patternProperties,
      additionalProperties,
      ...plain
    } = parts
    return {
      ...plain,
      ...formatOf(parts),
      ...(propertyNames !== undefined && {
        propertyNames: { ...propertyNames, ...formatOf({ type: 'string', ...propertyNames }) },
      }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, write(member, direction)]),
        ),
      }),
      ...(items !== undefined && { items: write(items, direction) }),
      ...(anyOf !== undefined && unionOf(anyOf, direction)),
      ...openMembers(patternProperties, additionalProperties, direction),
    }
  }

  /** Objects that one member distinguishes get a discriminator. */
  function unionOf(options: readonly TSchema[], direction: Direction): DocumentSchema {
    const written = options.map((option) => write(option, direction))
    const member = discriminatorOf(options)
    if (member === undefined) return { anyOf: written }
    const mapping = options.flatMap((option, at) =>
      wordsOf(option, member).map((word) => [word, written[at]?.$ref]),
    )
    return {
      oneOf: written,
      discriminator: { propertyName: member, mapping: Object.fromEntries(mapping) },
    }
  }

  function openMembers(
    patterns: SchemaParts['patternProperties'],
    additional: boolean | undefined,
    direction: Direction,
  ): DocumentSchema {
    const any_name = patterns?.['^.*$']
    if (any_name !== undefined) return { additionalProperties: write(any_name, direction) }
    return {
      ...(patterns !== undefined && { patternProperties: patterns }),
      ...(additional !== undefined &&
        (additional || direction === 'request') && { additionalProperties: additional }),
    }
  }

  return {
    write,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Formats that the service checks with functions, in terms of JSON Schema. */
function formatOf({ type, format }: SchemaParts): DocumentSchema {
  if (type === 'integer') return { format: 'int64' }
  const formats: Readonly<Record<string, { documented: object }>> = TEXT_FORMATS
  return format === undefined ? {} : { ...formats[format]?.documented }
}

/** A member that every option has, with different words in each. */
function discriminatorOf(options: readonly TSchema[]): string | undefined {
  const [first]: readonly SchemaParts[] = options
  if (options.some(({ title }: SchemaParts) => title === undefined)) return undefined
  return Object.keys(first?.properties ?? {}).find((name) => {
    const words = options.map((option) => wordsOf(option, name))
    return words.every(({ length }) => length > 0) && new Set(words.flat()).size === words.flat().length
  })
}

function wordsOf(option: TSchema, name: string): string[] {
  const member: SchemaParts = (option as SchemaParts).properties?.[name] ?? {}
  const words = member.const === undefined ? (member.enum ?? []) : [member.const]
  return words.filter((word) => typeof word === 'string')
}
