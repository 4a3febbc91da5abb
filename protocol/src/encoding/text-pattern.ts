/**
 * Patterns for texts, anchored at both ends:
 *
 *     *        any run of characters, including none
 *     ?        one character
 *     [a-z_]   one character of a set; [!a-z] one character outside of it
 *     [0-9]+   one or more characters of a set
 *     \        takes the next character literally
 *
 * Everything else stands for itself. There are no groups, no alternatives and no counts. Matching keeps the reached
 * places and never goes back, so it takes at most (length of the text) x (length of the pattern) steps.
 */
export type TextPattern = (text: string) => boolean

export const MAX_PATTERN_LENGTH = 128

/** A step is one character of the text, or more if it repeats. Bit `n` of a mask stands for step `n`, or the place before it. */
interface ParsedPattern {
  readonly steps: number
  /** The steps that a character fits, by its code point. */
  readonly fitting: (code: number) => bigint
  readonly repeating: bigint
  /** The places with a `*`, where any characters may pass. */
  readonly waiting: bigint
}

/** The matcher of a pattern, or undefined if it is malformed. */
export function textPattern(source: string): TextPattern | undefined {
  const pattern = parsed(source)
  return pattern && ((text) => matches(pattern, text))
}

export function isTextPattern(source: string): boolean {
  return textPattern(source) !== undefined
}

function parsed(source: string): ParsedPattern | undefined {
  const characters = [...source]
  if (characters.length === 0 || characters.length > MAX_PATTERN_LENGTH) return undefined
  const literals = new Map<number, bigint>()
  const sets: { readonly fits: (code: number) => boolean; readonly step: bigint }[] = []
  let [any, repeating, waiting, steps] = [0n, 0n, 0n, 0]
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? ''
    const step = 1n << BigInt(steps)
    if (character === '*') {
      waiting |= step
      continue
    }
    if (character === ']') return undefined
    if (character === '?') any |= step
    else if (character === '[') {
      const set = parsedSet(characters, at + 1)
      if (set === undefined) return undefined
      const repeats = characters[set.end] === '+'
      if (repeats) repeating |= step
      sets.push({ fits: set.fits, step })
      at = repeats ? set.end : set.end - 1
    } else {
      if (character === '\\') at += 1
      const literal = characters[at]?.codePointAt(0)
      if (literal === undefined) return undefined
      literals.set(literal, (literals.get(literal) ?? 0n) | step)
    }
    steps += 1
  }
  const fitting = (code: number) =>
    sets.reduce((mask, { fits, step }) => (fits(code) ? mask | step : mask), any | (literals.get(code) ?? 0n))
  return { steps, fitting, repeating, waiting }
}

/** The set whose first character is at `start`. `end` is the position after its closing bracket. */
function parsedSet(
  characters: readonly string[],
  start: number,
): { fits: (code: number) => boolean; end: number } | undefined {
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
  return { fits: (code) => isIn(code) !== isOutside, end: at + 1 }
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

/** Follows all paths through the steps at once. */
function matches({ steps, fitting, repeating, waiting }: ParsedPattern, text: string): boolean {
  const known = new Map<string, bigint>()
  let reached = 1n
  for (const character of text) {
    const fits = known.get(character) ?? fitting(character.codePointAt(0) ?? 0)
    known.set(character, fits)
    const staying = waiting | ((fits & repeating) << 1n)
    reached = ((reached & fits) << 1n) | (reached & staying)
    if (reached === 0n) return false
  }
  return reached >> BigInt(steps) === 1n
}
