import {
  ARGUMENT_RULES,
  type ArgumentLimit,
  type ArgumentLimits,
  type ArgumentRule,
  type PathLimits,
  textPattern,
  valueAt,
} from '@deputize/protocol'

/** The key that stands for every action in the limits on arguments. */
const ANY_ACTION = '*'

/** A limit that a request's arguments break. It names the path and the rule, never a value. */
export interface ArgumentFault {
  readonly path: string
  readonly rule: ArgumentRule
}

/** Whether limits apply to an action at all. */
export function limitsArguments(limits: ArgumentLimits | undefined, action: string): boolean {
  return limits !== undefined && (Object.hasOwn(limits, action) || Object.hasOwn(limits, ANY_ACTION))
}

/** Whether a text fits a pattern. */
type Fits = (pattern: string, text: string) => boolean

/** Returns a matcher that matches each text with each pattern once. Links repeat the patterns of those above them. */
export function onceMatched(): Fits {
  const known = new Map<string, boolean>()
  return (pattern, text) => {
    const name = JSON.stringify([pattern, text])
    const fits = known.get(name) ?? textPattern(pattern)?.(text) === true
    known.set(name, fits)
    return fits
  }
}

/**
 * Returns every limit that an action's arguments break. `metadata` is JSON text; without it, every limited value is
 * missing. Use one `fits` for all links of a chain.
 */
export function argumentFaults(
  limits: ArgumentLimits | undefined,
  action: string,
  metadata: string | undefined,
  fits: Fits = onceMatched(),
): ArgumentFault[] {
  if (limits === undefined || !limitsArguments(limits, action)) return []
  const document: unknown = metadata === undefined ? undefined : JSON.parse(metadata)
  return [limits[ANY_ACTION], Object.hasOwn(limits, action) ? limits[action] : undefined].flatMap(
    (paths = {}) =>
      Object.entries(paths).flatMap(([path, limit]) =>
        brokenRules(limit, valueAt(document, path), fits).map((rule) => ({ path, rule })),
      ),
  )
}

function brokenRules(limit: ArgumentLimit, value: unknown, fits: Fits): ArgumentRule[] {
  if (value === undefined) return ['required']
  const broken = new Set(Object.entries(limit).flatMap(([name]) => brokenRule(name, limit, value, fits)))
  return ARGUMENT_RULES.filter((rule) => broken.has(rule))
}

/** Returns the rule that a value breaks, if any. A value of the wrong type for the limit breaks the rule `type`. */
function brokenRule(name: string, limit: ArgumentLimit, value: unknown, fits: Fits): ArgumentRule[] {
  const { max = 0, min = 0, one_of = [], matches = [], max_length = 0 } = limit
  switch (name) {
    case 'max':
      return isExact(value) ? (value <= max ? [] : ['max']) : ['type']
    case 'min':
      return isExact(value) ? (value >= min ? [] : ['min']) : ['type']
    case 'one_of':
      if (typeof value === 'number' && !isExact(value)) return ['one_of']
      return one_of.some((allowed) => allowed === value) ? [] : ['one_of']
    case 'matches':
      if (typeof value !== 'string') return ['type']
      return [matches].flat().every((pattern) => fits(pattern, value)) ? [] : ['matches']
    case 'max_length': {
      const length = lengthOf(value)
      return length === undefined ? ['type'] : length <= max_length ? [] : ['max_length']
    }
    default:
      // A limit from a later version: this one can't tell whether it is met.
      return ['type']
  }
}

/** Whether a value is a number in the safe range. Beyond it, reading may have rounded the number that was written. */
function isExact(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string') return [...value].length
  return Array.isArray(value) ? value.length : undefined
}

/** Returns what a child's limits allow beyond its parent's, each by action, path and rule. */
export function argumentWidening(parent: ArgumentLimits = {}, child: ArgumentLimits = {}): string[] {
  return shared(parent, child).flatMap(([action, held, asked]) =>
    shared(held, asked).flatMap(([path, above, below]) =>
      widerRules(above, below).map((rule) => `arguments: ${action} ${path} ${rule}`),
    ),
  )
}

/** Returns the rules that are wider in the child. Patterns never are: a child keeps its parent's and adds its own. */
function widerRules(above: ArgumentLimit, below: ArgumentLimit): ArgumentRule[] {
  return [
    ...(isMore(below.max, above.max) ? ['max' as const] : []),
    ...(isMore(above.min, below.min) ? ['min' as const] : []),
    ...(isMore(below.max_length, above.max_length) ? ['max_length' as const] : []),
    ...(above.one_of !== undefined && below.one_of?.some((value) => !above.one_of?.includes(value))
      ? ['one_of' as const]
      : []),
  ]
}

function isMore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a > b
}

/** Combines a child's limits with those of its parent that it leaves out. */
export function meetArguments(
  parent: ArgumentLimits | undefined,
  child: ArgumentLimits | undefined,
): ArgumentLimits | undefined {
  if (parent === undefined || child === undefined) return parent ?? child
  const met = shared(parent, child).map(([action, held, asked]) => [action, meetPaths(held, asked)] as const)
  return { ...parent, ...child, ...Object.fromEntries(met) }
}

function meetPaths(parent: PathLimits, child: PathLimits): PathLimits {
  const met = shared(parent, child).map(([path, above, below]) => [path, meetLimit(above, below)] as const)
  return { ...parent, ...child, ...Object.fromEntries(met) }
}

function meetLimit(above: ArgumentLimit, below: ArgumentLimit): ArgumentLimit {
  const patterns = [...new Set([above.matches ?? [], below.matches ?? []].flat())]
  const [first, ...more] = patterns
  return {
    ...above,
    ...below,
    ...(first !== undefined && { matches: more.length === 0 ? first : patterns }),
  }
}

/** Returns the names that two objects share, with both values. */
function shared<T>(a: Readonly<Record<string, T>>, b: Readonly<Record<string, T>>): [string, T, T][] {
  return Object.entries(a).flatMap(([name, value]) => {
    const other = Object.hasOwn(b, name) ? b[name] : undefined
    return other === undefined ? [] : [[name, value, other]]
  })
}
