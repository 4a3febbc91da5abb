/**
 * Renders the Markdown of the guides: headings, paragraphs, flat lists, tables, code blocks, pictures, links, bold,
 * emphasis and code. Everything else is shown as text, so that no markup in a guide reaches the page.
 */
import { escapeHtml } from '../pages/html.ts'

export interface RenderedGuide {
  readonly title: string
  readonly html: string
  /** The headings below the title. */
  readonly sections: readonly GuideSection[]
}

export interface GuideSection {
  readonly heading: string
  readonly anchor: string
  /** The text below the heading, without markup. */
  readonly text: string
}

/** Returns where a guide's link leads, or undefined if this service doesn't serve it. */
export type LinkTarget = (href: string) => string | undefined

export function renderGuide(markdown: string, target: LinkTarget): RenderedGuide {
  const blocks = blocksOf(markdown)
  const [title] = blocks.filter(({ kind, level }) => kind === 'heading' && level === 1)
  return {
    title: plain(title?.lines[0] ?? ''),
    html: blocks
      .filter((block) => block !== title)
      .map((block) => blockHtml(block, target))
      .join('\n'),
    sections: sectionsOf(blocks),
  }
}

interface Block {
  readonly kind: 'heading' | 'code' | 'table' | 'bullets' | 'numbers' | 'paragraph'
  readonly level?: number
  readonly lines: readonly string[]
}

const HEADING = /^(#{1,6}) (.*)$/
const BULLET = /^- /
const NUMBER = /^\d+\. /

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at)
    if (block.kind !== 'paragraph' || block.lines.length > 0) blocks.push(block)
    at = block.next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number): Block & { readonly next: number } {
  const first = lines[at] ?? ''
  const [, marks = '', words = ''] = HEADING.exec(first) ?? []
  if (marks !== '') return { kind: 'heading', level: marks.length, lines: [words], next: at + 1 }
  if (first.startsWith('```')) return codeAt(lines, at)
  const kind = kindOf(first)
  const end = endOf(lines, at, kind)
  return { kind, lines: lines.slice(at, end), next: Math.max(end, at + 1) }
}

function kindOf(line: string): Block['kind'] {
  if (line.startsWith('|')) return 'table'
  if (BULLET.test(line)) return 'bullets'
  return NUMBER.test(line) ? 'numbers' : 'paragraph'
}

/** Returns the end of a block: before an empty line, a heading, a code block or a block of another kind. */
function endOf(lines: readonly string[], at: number, kind: Block['kind']): number {
  const ends = (line: string, index: number) =>
    line.trim() === '' ||
    line.startsWith('```') ||
    HEADING.test(line) ||
    (index > at && kindOf(line) !== kind && (kind !== 'bullets' || !line.startsWith(' ')))
  const found = lines.findIndex((line, index) => index >= at && ends(line, index))
  return found < 0 ? lines.length : found
}

function codeAt(lines: readonly string[], at: number): Block & { readonly next: number } {
  const close = lines.findIndex((line, index) => index > at && line.startsWith('```'))
  const end = close < 0 ? lines.length : close
  return { kind: 'code', lines: lines.slice(at + 1, end), next: end + 1 }
}

function blockHtml({ kind, level = 2, lines }: Block, target: LinkTarget): string {
  const inline = (text: string) => inlineHtml(text, target)
  switch (kind) {
    case 'heading':
      return `<h${level} id="${escapeHtml(headingAnchor(lines[0] ?? ''))}">${inline(lines[0] ?? '')}</h${level}>`
    case 'code':
      return `<pre tabindex="0"><code>${escapeHtml(lines.join('\n'))}</code></pre>`
    case 'bullets':
      return `<ul>${itemsOf(lines, BULLET).map(itemHtml(inline)).join('')}</ul>`
    case 'numbers':
      return `<ol>${itemsOf(lines, NUMBER).map(itemHtml(inline)).join('')}</ol>`
    case 'table':
      return tableHtml(lines, inline)
    case 'paragraph':
      return `<p>${inline(lines.join(' '))}</p>`
  }
}

/** Splits lines into items. A line without a mark continues the item before it. */
function itemsOf(lines: readonly string[], mark: RegExp): string[] {
  const items: string[] = []
  for (const line of lines)
    if (mark.test(line)) items.push(line.replace(mark, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  return items
}

function itemHtml(inline: (text: string) => string): (item: string) => string {
  return (item) => `<li>${inline(item)}</li>`
}

/** Tables of this many columns and more become a list of their rows on a narrow screen. */
const COLUMNS_OF_A_WIDE_TABLE = 4

function tableHtml([head = '', , ...rows]: readonly string[], inline: (text: string) => string): string {
  const heads = cellsOf(head)
  const isWide = heads.length >= COLUMNS_OF_A_WIDE_TABLE
  // Where rows are shown as blocks, browsers forget that they are a table unless the roles say so.
  const role = (name: string) => (isWide ? ` role="${name}"` : '')
  const row = (cells: readonly string[], cell: (html: string, column: number) => string) =>
    `<tr${role('row')}>${cells.map((text, column) => cell(breakable(inline(text)), column)).join('')}</tr>`
  const headRow = row(heads, (html) => `<th${role('columnheader')}>${html}</th>`)
  const body = rows.map((line) =>
    row(cellsOf(line), (html, column) => {
      const label = isWide && column > 0 ? ` data-head="${escapeHtml(plain(heads[column] ?? ''))}"` : ''
      return `<td${role('cell')}${label}>${html}</td>`
    }),
  )
  const table = isWide ? '<table class="wide" role="table">' : '<table>'
  return `<div class="table" tabindex="0">${table}<thead${role('rowgroup')}>${headRow}</thead><tbody${role('rowgroup')}>${body.join('')}</tbody></table></div>`
}

/** Lets long names and paths break after each part, so that a narrow column breaks them nowhere else. */
function breakable(html: string): string {
  return html.replaceAll(/<code>[^<]{14,}<\/code>/g, (code) =>
    code.replaceAll(/(?<=\w[/_@:=]|:\/\/|[a-z]\.)(?=[\w{])/g, '<wbr>'),
  )
}

/** Splits a row into cells. A bar between backticks or after a backslash belongs to its cell. */
function cellsOf(line: string): string[] {
  const cells = line.match(/(?:\\.|`[^`]*`|[^|\\`])+/g) ?? []
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

const INLINE =
  /`([^`]+)`|!\[([^\]]*)\]\(([^)\s]+)\)|\[((?:`[^`]*`|[^\]])+)\]\(([^)\s]+)\)|\*\*((?:`[^`]*`|[^*])+)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*/g

function inlineHtml(text: string, target: LinkTarget): string {
  let html = ''
  let at = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, alt, source, words, href, bold, emphasis] = match
    html += escapeHtml(text.slice(at, match.index))
    at = match.index + whole.length
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (source !== undefined)
      html += `<img src="${escapeHtml(target(source) ?? '')}" alt="${escapeHtml(alt ?? '')}" loading="lazy">`
    else if (href !== undefined) html += linkHtml(words ?? '', target(href), target)
    else if (bold !== undefined) html += `<strong>${inlineHtml(bold, target)}</strong>`
    else html += `<em>${inlineHtml(emphasis ?? '', target)}</em>`
  }
  return html + escapeHtml(text.slice(at))
}

function linkHtml(words: string, href: string | undefined, target: LinkTarget): string {
  const inner = inlineHtml(words, target)
  return href === undefined ? inner : `<a href="${escapeHtml(href)}">${inner}</a>`
}

/** Returns the anchor of a heading, in GitHub's format. */
export function headingAnchor(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Returns the text without markup. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[((?:`[^`]*`|[^\]])*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`([^`]*)`/g, '$1')
    .replaceAll('**', '')
}

function sectionsOf(blocks: readonly Block[]): GuideSection[] {
  const sections: { heading: string; anchor: string; texts: string[]; code: string[] }[] = [
    { heading: '', anchor: '', texts: [], code: [] },
  ]
  for (const { kind, level = 0, lines } of blocks)
    if (kind === 'heading' && level > 1) {
      const heading = lines[0] ?? ''
      sections.push({ heading: plain(heading), anchor: headingAnchor(heading), texts: [], code: [] })
    } else if (kind === 'code') sections.at(-1)?.code.push(...lines)
    else if (kind !== 'heading') sections.at(-1)?.texts.push(...proseOf(kind, lines).map(plain))
  // Code comes last, so that an excerpt shows a sentence if one matches.
  return sections.map(({ heading, anchor, texts, code }) => ({
    heading,
    anchor,
    text: [...texts, ...code].join(' '),
  }))
}

/** Returns the text of a block without list and table markup. */
function proseOf(kind: Block['kind'], lines: readonly string[]): readonly string[] {
  switch (kind) {
    case 'bullets':
      return itemsOf(lines, BULLET)
    case 'numbers':
      return itemsOf(lines, NUMBER)
    case 'table':
      return lines.filter((_, at) => at !== 1).map((line) => `${cellsOf(line).filter(Boolean).join(' · ')};`)
    default:
      return lines
  }
}
