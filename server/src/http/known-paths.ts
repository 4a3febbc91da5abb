import { OPERATIONS, type Operation } from '@deputize/protocol'
import { nearestName } from '../nearest-name.ts'

interface KnownPath {
  readonly method: string
  readonly path: string
  readonly parts: readonly string[]
  readonly has_rest: boolean
}

/** Split once: scanners ask for many paths that don't exist. */
const KNOWN: readonly KnownPath[] = Object.values<Operation>(OPERATIONS).map(({ method, path, rest }) => ({
  method,
  path,
  parts: path.split('/'),
  has_rest: rest !== undefined,
}))

/** The methods that a path accepts. None: it is unknown. */
export function methodsAt(path: string): string[] {
  const asked = path.split('/')
  const matching = KNOWN.filter(
    ({ parts, has_rest }) =>
      (parts.length === asked.length || (has_rest && parts.length < asked.length)) &&
      parts.every((part, index) => isPart(asked[index], part)),
  )
  return [...new Set(matching.map(({ method }) => method))].sort()
}

/** The operation that a request for an unknown path most likely means: one word is mistyped, or the beginning is missing. */
export function nearestOperation(method: string, path: string): string | undefined {
  const asked = path.split('/').filter((part) => part !== '')
  if (asked.length === 0 || asked.length > MOST_PARTS) return undefined
  const near = KNOWN.filter(({ parts }) => endsWith(parts, asked) || isOneWordOff(parts.slice(1), asked))
  const best = near.find((known) => known.method === method) ?? near[0]
  return best && `${best.method} ${best.path}`
}

/** No path has more parts. */
const MOST_PARTS = Math.max(...KNOWN.map(({ parts }) => parts.length))

function isPart(asked: string | undefined, part: string): boolean {
  return isParameter(part) || part === asked
}

function isParameter(part: string | undefined): boolean {
  return part?.startsWith('{') === true
}

/** The first word has to be the same: a parameter alone says nothing. */
function endsWith(parts: readonly string[], asked: readonly string[]): boolean {
  const end = parts.slice(-asked.length)
  return (
    !isParameter(end[0]) && end.length === asked.length && end.every((part, at) => isPart(asked[at], part))
  )
}

function isOneWordOff(parts: readonly string[], asked: readonly string[]): boolean {
  if (parts.length !== asked.length) return false
  const wrong = parts.filter((part, at) => !isPart(asked[at], part))
  const [word = ''] = wrong
  return wrong.length === 1 && nearestName(asked[parts.indexOf(word)] ?? '', [word]) !== undefined
}
