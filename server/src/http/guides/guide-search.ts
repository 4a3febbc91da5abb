/** Finds sections of guides. The search runs in the service, so that the pages need no script. */
import type { GuideSection } from './markdown.ts'

export interface SearchedGuide {
  readonly slug: string
  readonly title: string
  readonly sections: readonly GuideSection[]
}

export interface FoundSection {
  readonly slug: string
  readonly title: string
  readonly heading: string
  readonly anchor: string
  /** The words around the first match. */
  readonly snippet: string
}

const MOST_FOUND = 20
const MOST_WORDS = 10
const SNIPPET_LENGTH = 160
/** A long section isn't a better match because it repeats a word. */
const MOST_COUNTED_WORDS = 4
const WEIGHTS = { title: 30, heading: 12, text: 1 } as const

/** Words in questions that don't narrow a search. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  'a an are can do does for how i is my of the to what when where which who why'.split(' '),
)

export interface FoundSections {
  readonly sections: readonly FoundSection[]
  /** False if no section contains every word. Then these contain the most. */
  readonly hasAllWords: boolean
}

/** Returns the sections that contain the most of the words, or words that begin with them, best first. */
export function searchGuides(guides: readonly SearchedGuide[], wanted: string): FoundSections {
  const words = searchedWords(wanted)
  const scored = guides.flatMap(({ slug, title, sections }) =>
    sections.map((section) => ({ slug, title, section, ...scoreOf(words, title, section) })),
  )
  const most = scored.reduce((before, { matched }) => Math.max(before, matched), 0)
  const sections = scored
    .filter(({ matched }) => matched > 0 && matched === most)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ slug, title, section: { heading, anchor, text } }) => ({
      slug,
      title,
      heading,
      anchor,
      snippet: snippetOf(text, words),
    }))
  return { sections, hasAllWords: most === words.length }
}

/** Returns the words without surrounding punctuation, because people also search for questions and quotations. */
function searchedWords(wanted: string): string[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter(Boolean)
  const telling = words.filter((word) => !COMMON_WORDS.has(word))
  return [...new Set(telling.length === 0 ? words : telling)].slice(0, MOST_WORDS)
}

interface Score {
  /** Number of words that occur. */
  readonly matched: number
  readonly score: number
}

/** Scores a section. A word in the guide's title counts for its first section only. */
function scoreOf(words: readonly string[], title: string, { heading, text }: GuideSection): Score {
  let matched = 0
  let score = 0
  for (const word of words) {
    const found =
      (heading === '' ? countIn(title, word) * WEIGHTS.title : 0) +
      countIn(heading, word) * WEIGHTS.heading +
      countIn(text, word) * WEIGHTS.text
    if (found > 0) matched += 1
    score += found
  }
  return { matched, score }
}

/** Returns how often a word begins in a text, counted up to a limit so that every search is cheap. */
function countIn(text: string, word: string): number {
  let count = 0
  for (let at = placeIn(text, word, 0); at !== -1 && count < MOST_COUNTED_WORDS; count += 1)
    at = placeIn(text, word, at + 1)
  return count
}

const LETTER = /[\p{L}\p{N}]/u
/** Maximum number of matches inside words to skip before the text counts as not containing the word. */
const MOST_PASSED = 1_000

/** Returns where the word, or a word that begins with it, next occurs, or -1. */
function placeIn(text: string, word: string, from: number): number {
  const lower = lowerCase(text)
  let at = lower.indexOf(word, from)
  for (let passed = 0; at > 0 && LETTER.test(lower.charAt(at - 1)); passed += 1) {
    if (passed === MOST_PASSED) return -1
    at = lower.indexOf(word, at + 1)
  }
  return at
}

const lowered = new Map<string, string>()

/**
 * Returns the text in lower case at the same length: if that would be longer, only A to Z are converted. Cached,
 * because guides don't change while the service runs.
 */
function lowerCase(text: string): string {
  let lower = lowered.get(text)
  if (lower === undefined) {
    lower = text.toLowerCase()
    if (lower.length !== text.length) lower = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    lowered.set(text, lower)
  }
  return lower
}

function snippetOf(text: string, words: readonly string[]): string {
  const places = words.map((word) => placeIn(text, word, 0)).filter((place) => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 40)) + 1)
  const cut = text.slice(start, start + SNIPPET_LENGTH)
  return `${start > 0 ? '… ' : ''}${cut}${start + SNIPPET_LENGTH < text.length ? ' …' : ''}`
}
