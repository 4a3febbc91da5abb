/** The part of JSON Schema that the operations use. */
export interface Schema {
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  /** The component's description, if `description` is that of a single field. */
  readonly general_description?: string
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export interface TypeWriter {
  /** Returns the TypeScript type that `schema` describes. */
  typeOf(schema: Schema): string
  /** Returns the members of an object, one per line, with their descriptions. */
  membersOf(schema: Schema, options?: { readonly undefined_too?: boolean }): string
  /** Returns the declarations of the named types that were used, sorted by name. */
  declarations(): string[]
}

interface MemberOptions {
  readonly undefined_too?: boolean
  readonly form?: Variant
}

/** The pattern of an object whose members have any name and one type. */
const ANY_NAME = '^.*$'

/** One form of an object: members with a narrower type, and members that are always present. */
export interface Variant {
  readonly about: string
  readonly types: Readonly<Record<string, string>>
  readonly required: readonly string[]
}

/** The forms of objects whose members depend on each other, by the title of the object and the name of the form. */
export type Variants = Readonly<Record<string, Readonly<Record<string, Variant>>>>

/**
 * Creates a writer of types. An object with a title becomes an interface of that name, a union of such objects becomes
 * a type, and an object with variants becomes their union.
 */
export function typeWriter(variants: Variants = {}): TypeWriter {
  const used = new Map<string, string>()

  function typeOf(schema: Schema): string {
    const { title } = schema
    const isUnion = schema.anyOf?.every((option) => option.title !== undefined) === true
    if (title === undefined || (schema.properties === undefined && !isUnion)) return writtenOut(schema)
    declare(title, schema, isUnion)
    return title
  }

  function declare(name: string, schema: Schema, isUnion: boolean): void {
    if (used.has(name)) return
    used.set(name, '') // a type can contain itself
    const about = comment(schema.general_description ?? schema.description)
    const forms = variants[name]
    if (forms !== undefined) declareForms(schema, forms)
    const declaration =
      isUnion || forms !== undefined
        ? `export type ${name} = ${forms === undefined ? writtenOut(schema) : Object.keys(forms).join(' | ')}\n`
        : `export interface ${name} {\n${membersOf(schema)}}\n`
    used.set(name, `${about}${declaration}`)
  }

  function declareForms(schema: Schema, forms: Readonly<Record<string, Variant>>): void {
    for (const [name, form] of Object.entries(forms))
      used.set(name, `${comment(form.about)}export interface ${name} {\n${membersOf(schema, { form })}}\n`)
  }

  function writtenOut(schema: Schema): string {
    const { type, anyOf } = schema
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.enum !== undefined) return schema.enum.map((word) => `'${word}'`).join(' | ')
    if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
    if (Array.isArray(type)) return type.map((one) => typeOf({ type: one })).join(' | ')
    if (type === 'array') return listOf(typeOf(schema.items ?? {}))
    if (type === 'object') return objectType(schema)
    if (type === 'string') return schema.format === 'binary' ? 'Uint8Array' : 'string'
    if (type === 'integer' || type === 'number') return 'number'
    if (type === 'boolean' || type === 'null') return type
    if (type === undefined) return 'unknown'
    throw new Error(`no type for ${JSON.stringify(schema)}`)
  }

  function objectType(schema: Schema): string {
    return schema.properties === undefined ? recordType(schema) : `{\n${membersOf(schema)}}`
  }

  function recordType({ patternProperties = {} }: Schema): string {
    const values = patternProperties[ANY_NAME]
    return `Record<string, ${values === undefined ? 'unknown' : typeOf(values)}>`
  }

  function membersOf(schema: Schema, { undefined_too = false, form }: MemberOptions = {}): string {
    const required = [...(schema.required ?? []), ...(form?.required ?? [])]
    const lines = Object.entries(schema.properties ?? {}).map(([name, member]) => {
      const isOptional = !required.includes(name)
      const type = `${form?.types[name] ?? typeOf(member)}${isOptional && undefined_too ? ' | undefined' : ''}`
      return `${comment(member.description)}${name}${isOptional ? '?' : ''}: ${type}\n`
    })
    const extension =
      schema.patternProperties === undefined ? '' : '[extension: `x_$' + '{string}`]: unknown\n'
    return lines.join('') + extension
  }

  return {
    typeOf,
    membersOf,
    declarations: () => [...used].sort(([a], [b]) => a.localeCompare(b)).map(([, text]) => text),
  }
}

function listOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`
}

export function comment(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`
}
