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
/** A long section is not better because it repeats a word. */
const MOST_COUNTED_WORDS = 4
const WEIGHTS = { title: 30, heading: 12, text: 1 } as const

/** Words of questions that say nothing about what is looked for. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  'a an are can do does for how i is my of the to what when where which who why'.split(' '),
)

export interface FoundSections {
  readonly sections: readonly FoundSection[]
  /** False: no section contains every word, and these contain the most of them. */
  readonly hasAllWords: boolean
}

/** The sections that contain every word, or words that begin with it, the best first. */
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

/** Without the marks around words: people also search for questions and for what is quoted. */
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
  /** How many of the words occur. */
  readonly matched: number
  readonly score: number
}

/** A word in a title counts for the beginning of the guide. */
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

/** How often a word begins in a text. Counted only so far, so that a search costs little whatever is searched for. */
function countIn(text: string, word: string): number {
  let count = 0
  for (let at = placeIn(text, word, 0); at !== -1 && count < MOST_COUNTED_WORDS; count += 1)
    at = placeIn(text, word, at + 1)
  return count
}

const LETTER = /[\p{L}\p{N}]/u
/** Places within words that are passed over, before a text counts as one without the word. */
const MOST_PASSED = 1_000

/** Where a word begins, or words that begin with it; -1 if nowhere. */
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

/** Texts of guides do not change while the service runs. A letter whose lower case is longer stays as it is. */
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
