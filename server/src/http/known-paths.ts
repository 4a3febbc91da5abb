import { OPERATIONS, type Operation } from '@deputize/protocol'
import { nearestName } from '../nearest-name.ts'

interface KnownPath {
  readonly method: string
  readonly path: string
  readonly parts: readonly string[]
  readonly has_rest: boolean
}

/** Split once, because scanners request many paths that don't exist. */
const KNOWN: readonly KnownPath[] = Object.values<Operation>(OPERATIONS).map(({ method, path, rest }) => ({
  method,
  path,
  parts: path.split('/'),
  has_rest: rest !== undefined,
}))

/** Returns the methods that a path accepts, or none if the path is unknown. */
export function methodsAt(path: string): string[] {
  const asked = path.split('/')
  const matching = KNOWN.filter(
    ({ parts, has_rest }) =>
      (parts.length === asked.length || (has_rest && parts.length < asked.length)) &&
      parts.every((part, index) => isPart(asked[index], part)),
  )
  return [...new Set(matching.map(({ method }) => method))].sort()
}

/** Returns the operation that an unknown path most likely means: the beginning is missing, or one word is mistyped. */
export function nearestOperation(method: string, path: string): string | undefined {
  const asked = path.split('/').filter((part) => part !== '')
  if (asked.length === 0 || asked.length > MOST_PARTS) return undefined
  const whole = KNOWN.filter(({ parts }) => endsWith(parts, asked))
  const near = whole.length > 0 ? whole : withOneOtherWord(asked)
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

/** Whether the path ends with the requested parts. The first must be a word, because a parameter matches anything. */
function endsWith(parts: readonly string[], asked: readonly string[]): boolean {
  const end = parts.slice(-asked.length)
  return (
    !isParameter(end[0]) && end.length === asked.length && end.every((part, at) => isPart(asked[at], part))
  )
}

/** Returns the operations whose paths differ in only one word, if it is likely a misspelling of theirs. */
function withOneOtherWord(asked: readonly string[]): KnownPath[] {
  for (const [place, word] of asked.entries()) {
    const wordOf = ({ parts }: KnownPath) => parts[place + 1] ?? '' // a path begins with a slash
    const others = KNOWN.filter(
      ({ parts: [, ...parts] }) =>
        parts.length === asked.length &&
        !isParameter(parts[place]) &&
        parts.every((part, at) => at === place || isPart(asked[at], part)),
    )
    const meant = nearestName(word, others.map(wordOf))
    if (meant !== undefined) return others.filter((other) => wordOf(other) === meant)
  }
  return []
}
