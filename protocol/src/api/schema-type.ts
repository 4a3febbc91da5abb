import type { Type as TypeBox } from 'typebox'

type Schema = Record<string, unknown>
type Builders =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

/**
 * Builds the same JSON schemas as typebox, with its types but without its code, which has several hundred files that
 * every thread of the service would read at startup.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: objectSchema,
  Optional: optional,
  Partial: ({ properties }: { properties: Record<string, Schema> }, options?: Schema) =>
    objectSchema(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)])),
      options,
    ),
  Record: (_: Schema, values: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf: [...anyOf], ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: copied,
} as unknown as Pick<typeof TypeBox, Builders> // a test compares every schema with that of typebox

function ofType(type: string) {
  return (options?: Schema) => ({ type, ...options })
}

function objectSchema(properties: Record<string, Schema>, options?: Schema) {
  const required = Object.keys(properties).filter((name) => !('~optional' in (properties[name] ?? {})))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

/** Marks a schema as optional. The mark is hidden, so no document shows it. */
function optional(schema: Schema): Schema {
  return Object.defineProperty(copied(schema), '~optional', { value: true, configurable: true })
}

/** A copy that includes the schema's hidden members. */
function copied(schema: Schema): Schema {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
}
