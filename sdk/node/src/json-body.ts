/**
 * Returns the JSON body of a call. Throws a TypeError with the pointer to a value that has no JSON form:
 * `JSON.stringify` would send null for NaN and an empty object for a Map, and drop a function.
 */
export function jsonBody(members: Readonly<Record<string, unknown>>): string {
  const found = firstMisfit(members, '', '', [])
  if (found !== undefined) throw new TypeError(`${found.pointer} ${found.said}.`)
  return JSON.stringify(members)
}

/** A value, or the name of a member, that has no JSON form. */
interface Misfit {
  readonly pointer: string
  /** What is wrong, and what to pass instead. */
  readonly said: string
}

function firstMisfit(
  given: unknown,
  name: string,
  pointer: string,
  around: readonly unknown[],
): Misfit | undefined {
  // JSON.stringify writes null for an invalid date.
  if (given instanceof Date && Number.isNaN(given.getTime())) return { pointer, said: 'must be a valid date' }
  const value = asWritten(given, name)
  if (typeof value !== 'object' || value === null) {
    const said = misfitOf(value)
    return said === undefined ? undefined : { pointer, said }
  }
  if (around.includes(value)) return { pointer, said: 'must not contain itself' }
  if (!isData(value)) return { pointer, said: `${MUST_BE_JSON}, not a ${nameOf(value)}` }
  const within = [...around, value]
  // JSON.stringify writes null for an undefined entry, and for a hole.
  const gap = Array.isArray(value)
    ? value.findIndex((each, index) => asWritten(each, String(index)) === undefined)
    : -1
  if (gap !== -1)
    return { pointer: `${pointer}/${gap}`, said: 'must not be undefined. Pass null, or leave it out' }
  for (const [member, each] of Object.entries(value)) {
    const place = `${pointer}/${member}`
    if (!member.isWellFormed()) return { pointer: place, said: 'must have a name without lone surrogates' }
    if (FORBIDDEN_NAMES.includes(member)) return { pointer: place, said: 'must have another name' }
    const found = firstMisfit(each, member, place, within)
    if (found !== undefined) return found
  }
  return undefined
}

const MUST_BE_JSON = 'must have a JSON form: an object, array, text, number, boolean or null'

/** Names that could reach a prototype. The service refuses them. */
const FORBIDDEN_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Returns the form that a value defines for JSON, such as a Date's, or a BigInt's if the program has added one. */
function asWritten(value: unknown, name: string): unknown {
  const holder: unknown = typeof value === 'bigint' ? Object(value) : value
  const hasForm = typeof holder === 'object' && holder !== null && 'toJSON' in holder
  return hasForm && typeof holder.toJSON === 'function' ? holder.toJSON(name) : value
}

function misfitOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : `must be a finite number, not ${value}`
    case 'string':
      return value.isWellFormed() ? undefined : 'must be text without lone surrogates'
    case 'bigint':
      return 'must be a number, or a text if it is beyond 2**53 - 1, not a BigInt'
    case 'function':
    case 'symbol':
      return `${MUST_BE_JSON}, not a ${typeof value}`
    default:
      return undefined // undefined members are left out, as everywhere in JavaScript
  }
}

/** Whether the value is an array or an object without a class, from any realm. */
function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}

function nameOf(value: object): string {
  return value.constructor?.name || 'object'
}
