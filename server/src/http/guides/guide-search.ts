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

/** The sections that contain every word, or words that begin with it, the best first. */
export function searchGuides(guides: readonly SearchedGuide[], wanted: string): FoundSection[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS)
  if (words.length === 0) return []
  const patterns = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}`, 'giu'))
  const scored = guides.flatMap(({ slug, title, sections }) =>
    sections.map((section) => ({ slug, title, section, score: scoreOf(patterns, title, section) })),
  )
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ slug, title, section: { heading, anchor, text } }) => ({
      slug,
      title,
      heading,
      anchor,
      snippet: snippetOf(text, patterns),
    }))
}

function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** 0 unless every word occurs. A word in a title counts for the beginning of the guide. */
function scoreOf(patterns: readonly RegExp[], title: string, { heading, text }: GuideSection): number {
  let score = 0
  for (const pattern of patterns) {
    const found =
      (heading === '' ? countIn(title, pattern) * WEIGHTS.title : 0) +
      countIn(heading, pattern) * WEIGHTS.heading +
      Math.min(countIn(text, pattern), MOST_COUNTED_WORDS) * WEIGHTS.text
    if (found === 0) return 0
    score += found
  }
  return score
}

function countIn(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function snippetOf(text: string, patterns: readonly RegExp[]): string {
  const places = patterns.map((pattern) => text.search(pattern)).filter((place) => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 40)) + 1)
  const cut = text.slice(start, start + SNIPPET_LENGTH)
  return `${start > 0 ? '… ' : ''}${cut}${start + SNIPPET_LENGTH < text.length ? ' …' : ''}`
}
