/** The guides and the reference of `docs/`, each rendered once. */
import { readdirSync, readFileSync } from 'node:fs'
import type { SearchedGuide } from './guide-search.ts'
import { type RenderedGuide, renderGuide } from './markdown.ts'

const GUIDES = new URL('../../../../docs/guides/', import.meta.url)
const REFERENCE = new URL('../../../../docs/reference/', import.meta.url)

export interface Guide extends RenderedGuide, SearchedGuide {
  readonly kind: 'guide' | 'reference'
}

export interface GuideLibrary {
  readonly guides: ReadonlyMap<string, Guide>
  readonly pictures: ReadonlyMap<string, Buffer>
}

/** Reads all guides. Only files found here are served, so no request path reaches the disk. */
export function readGuides(): GuideLibrary {
  const places = [
    ...filesIn(GUIDES, '.md').map((name) => ({ folder: GUIDES, name, kind: 'guide' as const })),
    ...filesIn(REFERENCE, '.md').map((name) => ({ folder: REFERENCE, name, kind: 'reference' as const })),
  ]
  const slugs = new Set(places.map(({ name }) => slugOf(name)))
  const guides = places.map(({ folder, name, kind }) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    return { slug: slugOf(name), kind, ...renderGuide(text, (href) => targetOf(href, slugs)) }
  })
  return {
    guides: new Map(guides.map((guide) => [guide.slug, guide])),
    pictures: new Map(
      filesIn(GUIDES, '.png').map((name) => [name, readFileSync(new URL(name, GUIDES))] as const),
    ),
  }
}

function filesIn(folder: URL, ending: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
}

function slugOf(name: string): string {
  return name.slice(0, -'.md'.length)
}

/** Links to guides lead to their pages, web links stay, and links to other files of the repository become text. */
function targetOf(href: string, slugs: ReadonlySet<string>): string | undefined {
  if (/^https:\/\//.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return hash
  if (/^[\w-]+\.png$/.test(path)) return `/guides/${path}`
  if (path === '../../openapi.json') return '/openapi.json'
  const slug = /^(?:\.\.\/(?:guides|reference)\/)?([\w-]+)\.md$/.exec(path)?.[1]
  return slug !== undefined && slugs.has(slug) ? `/guides/${slug}${hash}` : undefined
}
