/** An RFC 6901 pointer to a member below the top: at least one part, `~` only as `~0` or `~1`. */
export const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/u

/** The value that a pointer leads to. Undefined, which isn't a JSON value, if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(name)) return undefined
    if (!Object.hasOwn(value, name)) return undefined
    // An own member of an object or an item of an array, by its name.
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
