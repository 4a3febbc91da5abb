export type Method = (...given: unknown[]) => unknown

/** Returns the object with each method wrapped, including those of nested objects. */
export function wrapMethods<Room extends object>(
  room: Room,
  wrap: (method: Method, name: string) => Method,
  prefix = '',
): Room {
  const entries = Object.entries(room).map(([name, member]) => {
    if (typeof member === 'function') return [name, wrap(member, prefix + name)]
    return [name, typeof member === 'object' ? wrapMethods(member, wrap, `${prefix}${name}.`) : member]
  })
  return Object.fromEntries(entries) // the same names, each with a function of the same type
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
