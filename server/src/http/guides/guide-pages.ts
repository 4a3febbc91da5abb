/** The guides as pages: a table of contents with a search, and one page per guide. */
import { AuthorityError } from '@deputize/protocol'
import type { FastifyInstance } from 'fastify'
import { escapeHtml, page, readableHtml } from '../pages/html.ts'
import { queryOf, sendPage } from '../pages/page-answers.ts'
import { type Guide, type GuideLibrary, readGuides } from './guide-library.ts'
import { type FoundSections, searchGuides } from './guide-search.ts'
import { guideSubjects } from './guide-subjects.ts'
import type { GuideSection } from './markdown.ts'

const GUIDE_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const GUIDE_STYLE = `
h2 { font-size: 1.35rem; margin: 2.4rem 0 .4rem; } h3 { font-size: 1.1rem; margin: 1.6rem 0 .3rem; }
h2, h3 { scroll-margin-top: 1rem; }
form { display: flex; gap: .6rem; margin: 1.2rem 0; } label { align-self: center; }
input { font: inherit; color: var(--ink); background: none; border: 2px solid var(--dim); border-radius: 6px; padding: .4rem .7rem; flex: 1; min-width: 0; }
button { font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 2px solid var(--accent); border-radius: 6px; padding: .4rem 1rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.subjects { columns: 18rem; column-gap: 2.4rem; margin-top: 2rem; } .subjects section { break-inside: avoid; margin: 0 0 1.8rem; } .subjects h2 { font-size: 1.1rem; margin: 0 0 .3rem; }
ul.guides { list-style: none; margin: 0; padding: 0; } ul.guides li { padding: .2rem 0; }
ul.found { list-style: none; margin: 0; padding: 0; } ul.found li { padding: .6rem 0; border-top: 1px solid var(--line); }
ul.found span { color: var(--dim); display: block; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1rem; margin: 1.2rem 0; } summary { cursor: pointer; font-weight: 600; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .94em; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
p, li { overflow-wrap: anywhere; } th, td { overflow-wrap: break-word; } td:last-child { min-width: 9rem; }
@media (max-width: 36rem) {
.wide, .wide tbody, .wide tr, .wide td { display: block; } .wide thead, .wide td:empty { display: none; }
.wide tr { padding: .6rem 0; border-bottom: 1px solid var(--line); } .wide td { border: 0; padding: .1rem 0; overflow-wrap: anywhere; } .wide td:first-child { font-weight: 600; }
.wide td[data-head]:not([data-head=""])::before { content: attr(data-head) ": "; color: var(--dim); }
}
`

export function addGuidePages(app: FastifyInstance): void {
  let library: GuideLibrary | undefined
  // Read at the first visit, because most services never get one.
  const read = () => {
    library ??= readGuides()
    return library
  }
  app.get('/guides', async (request, reply) =>
    sendPage(reply, contentsPage(read(), queryOf(request).get('q') ?? ''), GUIDE_CSP),
  )
  app.get<{ Params: { name: string } }>('/guides/:name', async ({ params }, reply) => {
    const { guides, pictures } = read()
    const picture = pictures.get(params.name)
    if (picture !== undefined)
      return reply.type('image/png').header('cache-control', 'public, max-age=3600').send(picture)
    const guide = guides.get(params.name)
    if (guide === undefined) throw new AuthorityError('not_found')
    return sendPage(reply, guidePage(guide), GUIDE_CSP)
  })
}

function contentsPage({ guides }: GuideLibrary, wanted: string): string {
  const all = [...guides.values()]
  const shown = wanted.trim() === '' ? listsOf(all) : foundHtml(searchGuides(all, wanted.slice(0, 100)))
  return page(
    'Guides',
    `<style>${GUIDE_STYLE}</style>
<p class="lead">How to do things with Deputy, and what it guarantees. The <a href="/docs">API reference</a> describes every call.</p>
${searchForm(wanted)}
${shown}`,
  )
}

function searchForm(wanted: string): string {
  return `<form role="search" action="/guides" method="get"><label for="q">Search</label>
<input id="q" name="q" type="search" maxlength="100" value="${escapeHtml(wanted.slice(0, 100))}"><button>Search</button></form>`
}

function listsOf(guides: readonly Guide[]): string {
  const subjects = guideSubjects(guides).map(({ title, guides: ofSubject }) => {
    const items = ofSubject.map(
      ({ slug, title: name }) => `<li><a href="/guides/${slug}">${readableHtml(name)}</a></li>`,
    )
    return `<section><h2>${title}</h2><ul class="guides">${items.join('')}</ul></section>`
  })
  return `<div class="subjects">${subjects.join('')}</div>`
}

function foundHtml({ sections, hasAllWords }: FoundSections): string {
  if (sections.length === 0)
    return `<p>Nothing matches. Try another word, or <a href="/guides">show all guides</a>. Codes of errors have <a href="/problems">their own list</a>.</p>`
  const items = sections.map(({ slug, title, heading, anchor, snippet }) => {
    const href = `/guides/${slug}${anchor === '' ? '' : `#${anchor}`}`
    const words = heading === '' ? title : `${title}: ${heading}`
    return `<li><a href="${escapeHtml(href)}">${readableHtml(words)}</a><span>${readableHtml(snippet)}</span></li>`
  })
  const lead = hasAllWords ? '' : '<p>No section has all of these words. These have some of them:</p>'
  return `${lead}<ul class="found">${items.join('')}</ul>`
}

function guidePage({ title, html, sections }: Guide): string {
  return page(
    title,
    `<style>${GUIDE_STYLE}</style>
<p><a href="/guides">All guides</a></p>
${onThisPage(sections)}
${html}
${searchForm('')}`,
  )
}

function onThisPage(sections: readonly GuideSection[]): string {
  const named = sections.filter(({ heading }) => heading !== '')
  if (named.length < 3) return ''
  const items = named.map(
    ({ heading, anchor }) => `<li><a href="#${escapeHtml(anchor)}">${readableHtml(heading)}</a></li>`,
  )
  return `<details><summary>On this page</summary><ul>${items.join('')}</ul></details>`
}
