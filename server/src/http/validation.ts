import { AuthorityError, type FieldError, NUMBER_FORMATS, TEXT_FORMATS } from '@deputize/protocol'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { nearestName } from '../nearest-name.ts'

const MAX_ERRORS = 20
const PLACES: Readonly<Record<string, (pointer: string) => string>> = {
  body: (pointer) => pointer,
  querystring: (pointer) => `?${pointer.slice(1)}`,
  params: (pointer) => `{${pointer.slice(1)}}`,
}

/** Validates bodies as sent: nothing is converted, filled in or dropped, except repeated entries of a list. */
const strict = validator(false)
/**
 * Validates paths, queries and forms, where every value is text and numbers are parsed from it. A list of one entry looks
 * like the entry itself.
 */
const fromText = validator('array')

/** Compiles a schema. Compiled schemas are cached for the life of the process. */
export function compileSchema(schema: object, place: string): ValidateFunction {
  return (place === 'body' ? strict : fromText).compile(schema)
}

/** Returns a validator that compiles its schema at the first request: compiling all of them would delay the start. */
export function lazyValidator(schema: object, place: string): (data: unknown) => ValidationResult {
  let validate: ValidateFunction | undefined
  return (data) => {
    validate ??= compileSchema(schema, place)
    return validate(data) ? true : { error: validate.errors ?? [] }
  }
}

type ValidationResult = true | { readonly error: ErrorObject[] }

function validator(coerceTypes: false | 'array'): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    removeAdditional: false,
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    // A number parsed from text may be Infinity. The minimum and maximum must see it, so this option is off there.
    strictNumbers: coerceTypes === false,
  })
  for (const [name, { check }] of Object.entries(TEXT_FORMATS)) ajv.addFormat(name, check)
  for (const [name, { check }] of Object.entries(NUMBER_FORMATS))
    ajv.addFormat(name, { type: 'number', validate: check })
  ajv.addKeyword({ keyword: 'foldsRepeats', type: 'array', modifying: true, validate: foldRepeats })
  return ajv
}

function isText(entry: unknown): boolean {
  return typeof entry === 'string'
}

/** Keeps the first of equal entries. A list of names means the same set however often it repeats one. */
function foldRepeats(_folds: boolean, entries: unknown[]): true {
  if (new Set(entries).size === entries.length && entries.every(isText)) return true
  const seen = new Set<string>()
  const kept = entries.filter((entry) => {
    const text = JSON.stringify(entry)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
  if (kept.length < entries.length) entries.splice(0, entries.length, ...kept)
  return true
}

/** Returns one refusal that names the invalid fields, at most 20, and how to fix each. */
export function validationError(all: readonly ErrorObject[], place: string): AuthorityError {
  const errors = withoutIncluded(all)
  const fields = errors.slice(0, MAX_ERRORS).map((error) => fieldError(error, PLACES[place] ?? PLACES.body))
  const [first] = fields
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const where = first?.pointer === '' ? 'The body' : first?.pointer
  return new AuthorityError('invalid_request', `${where} ${first?.detail}${more}`, { errors: fields })
}

/** Drops errors about bounds of numbers that also fail their format, whose message names the bounds. */
function withoutIncluded(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const formats = new Set(errors.flatMap((error) => (error.keyword === 'format' ? error.instancePath : [])))
  return errors.filter((error) => !BOUNDS.includes(error.keyword) || !formats.has(error.instancePath))
}

const BOUNDS: readonly string[] = ['minimum', 'maximum']

function fieldError(error: ErrorObject, at: ((pointer: string) => string) | undefined): FieldError {
  const pointerOf = at ?? ((pointer: string) => pointer)
  if (error.keyword === 'required') {
    return {
      pointer: pointerOf(`${error.instancePath}/${error.params.missingProperty}`),
      detail: 'is required',
    }
  }
  if (error.keyword === 'additionalProperties') return unknownField(error, pointerOf)
  const pointer = error.instancePath === '' ? '' : pointerOf(error.instancePath)
  return { pointer, detail: detailOf(error) }
}

function unknownField(error: ErrorObject, pointerOf: (pointer: string) => string): FieldError {
  const name = String(error.params.additionalProperty)
  const known = Object.keys(error.parentSchema?.properties ?? {})
  const near = nearestName(name, known)
  const pointer = pointerOf(`${error.instancePath}/${escapePointer(name)}`)
  const word = pointer.startsWith('?') ? 'parameter' : 'field'
  const hint = near === undefined ? `Known ${word}s: ${known.join(', ') || 'none'}.` : `Did you mean ${near}?`
  return {
    pointer,
    detail: `is not a known ${word}. ${hint}`,
  }
}

function detailOf({ keyword, params, message, schema, data }: ErrorObject): string {
  switch (keyword) {
    case 'format':
      return formatDetail(String(params.format))
    case 'const':
      return `must be ${schema}`
    case 'enum':
      return `must be one of ${(schema as string[]).join(', ')}`
    case 'type':
      return data === undefined || data === null
        ? `must be a JSON ${params.type}`
        : `must be of type ${params.type}, not ${typeName(data)}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters${isCompactJwt(data) ? JWT_INSTEAD_OF_ID : ''}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`
    case 'maxItems':
      return `must have at most ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`
    case 'propertyNames':
      return `has a member with a name that is not allowed: ${JSON.stringify(params.propertyName)}`
    default:
      return message ?? 'is invalid'
  }
}

/** Many callers send the token itself instead of its ID. */
const JWT_INSTEAD_OF_ID = '. This looks like a compact JWT: send the jti of the token, such as vat_root_…'

function isCompactJwt(data: unknown): boolean {
  return typeof data === 'string' && /^ey[\w-]*\.[\w-]+\.[\w-]+$/.test(data)
}

function formatDetail(name: string): string {
  const formats: Readonly<Record<string, { says: string }>> = { ...TEXT_FORMATS, ...NUMBER_FORMATS }
  return formats[name]?.says ?? `must be a valid ${name}`
}

function typeName(data: unknown): string {
  return Array.isArray(data) ? 'array' : typeof data
}

function escapePointer(name: string): string {
  return name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}
