/**
 * Patterns for texts, anchored at both ends:
 *
 *     *        any run of characters, also none
 *     ?        one character
 *     [a-z_]   one character of a set; [!a-z] one character outside of it
 *     [0-9]+   one or more characters of a set
 *     \        takes the next character literally
 *
 * Everything else stands for itself. There are no groups, no alternatives and no counts. Matching keeps the set of reached
 * positions and never goes back, so it takes at most (length of the text) x (length of the pattern) steps.
 */
export type TextPattern = (text: string) => boolean

export const MAX_PATTERN_LENGTH = 128

interface Step {
  /** Whether a character fits. Undefined for `*`, which fits every character. */
  readonly fits: ((character: string) => boolean) | undefined
  /** Whether more characters may fit the same step. */
  readonly repeats: boolean
}

/** The matcher of a pattern, or undefined if it is malformed. */
export function textPattern(source: string): TextPattern | undefined {
  const steps = parsed(source)
  return steps && ((text) => matches(steps, text))
}

export function isTextPattern(source: string): boolean {
  return textPattern(source) !== undefined
}

function parsed(source: string): Step[] | undefined {
  const characters = [...source]
  if (characters.length === 0 || characters.length > MAX_PATTERN_LENGTH) return undefined
  const steps: Step[] = []
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? ''
    if (character === '*') steps.push({ fits: undefined, repeats: true })
    else if (character === '?') steps.push({ fits: () => true, repeats: false })
    else if (character === '[') {
      const set = parsedSet(characters, at + 1)
      if (set === undefined) return undefined
      const repeats = characters[set.end] === '+'
      steps.push({ fits: set.fits, repeats })
      at = repeats ? set.end : set.end - 1
    } else if (character === ']') return undefined
    else {
      if (character === '\\') at += 1
      const literal = characters[at]
      if (literal === undefined) return undefined
      steps.push({ fits: (one) => one === literal, repeats: false })
    }
  }
  return steps
}

/** The set whose first character is at `start`. `end` is the position after its closing bracket. */
function parsedSet(
  characters: readonly string[],
  start: number,
): { fits: (character: string) => boolean; end: number } | undefined {
  const isOutside = characters[start] === '!'
  const ranges: [number, number][] = []
  let at = isOutside ? start + 1 : start
  for (; characters[at] !== ']'; at += 1) {
    const first = setCharacter(characters, at)
    if (first === undefined) return undefined
    at = first.at
    const isRange = characters[at + 1] === '-' && characters[at + 2] !== ']'
    const last = isRange ? setCharacter(characters, at + 2) : first
    if (last === undefined || last.code < first.code) return undefined
    at = last.at
    ranges.push([first.code, last.code])
  }
  if (ranges.length === 0) return undefined
  const isIn = (code: number) => ranges.some(([low, high]) => code >= low && code <= high)
  return { fits: (character) => isIn(character.codePointAt(0) ?? 0) !== isOutside, end: at + 1 }
}

function setCharacter(
  characters: readonly string[],
  at: number,
): { readonly code: number; readonly at: number } | undefined {
  const place = characters[at] === '\\' ? at + 1 : at
  const character = characters[place]
  if (character === undefined || (place === at && character === '[')) return undefined
  return { code: character.codePointAt(0) ?? 0, at: place }
}

/** Follows every way through the steps at once. */
function matches(steps: readonly Step[], text: string): boolean {
  let reached = withSkips(steps, new Set([0]))
  for (const character of text) {
    const next = new Set<number>()
    for (const place of reached) {
      const step = steps[place]
      if (step === undefined) continue
      if (step.fits === undefined) next.add(place)
      else if (step.fits(character)) {
        next.add(place + 1)
        if (step.repeats) next.add(place)
      }
    }
    if (next.size === 0) return false
    reached = withSkips(steps, next)
  }
  return reached.has(steps.length)
}

/** A `*` may stand for nothing. Sets are read in the order of insertion, so places that are added are read too. */
function withSkips(steps: readonly Step[], places: Set<number>): Set<number> {
  for (const place of places) {
    const step = steps[place]
    if (step !== undefined && step.fits === undefined) places.add(place + 1)
  }
  return places
}
